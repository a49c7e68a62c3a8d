package ground

import (
	"strconv"
	"strings"
)

// String writes the expression in RDDL syntax, with the grounded fluents' names, on one line;
// shared parts are written wherever they are used. Min and Max have any number of arguments.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b, 0)
	return b.String()
}

// binding strengths, weakest first, as in the language.
const (
	bindIff = iota + 1
	bindImplies
	bindOr
	bindAnd
	bindRelation
	bindSum
	bindProduct
	bindPrefix
)

var infix = map[Op]struct {
	sign  string
	power int
}{
	Iff: {"<=>", bindIff}, Implies: {"=>", bindImplies}, Or: {"|", bindOr}, And: {"^", bindAnd},
	Eq: {"==", bindRelation}, Ne: {"~=", bindRelation}, Lt: {"<", bindRelation}, Le: {"<=", bindRelation},
	Gt: {">", bindRelation}, Ge: {">=", bindRelation},
	Add: {"+", bindSum}, Sub: {"-", bindSum}, Mul: {"*", bindProduct}, Div: {"/", bindProduct},
}

// write writes n, in brackets if it binds more weakly than power.
func (n *Node) write(b *strings.Builder, power int) {
	if n == nil {
		b.WriteString("nothing")
		return
	}
	if _, ok := infix[n.Op]; ok {
		n.writeInfix(b, power)
		return
	}
	switch n.Op {
	case Const:
		if n.Type == Enum {
			b.WriteByte('@')
		}
		b.WriteString(valueName(n.Type, n.Values, n.Val))
	case Ref:
		name := n.Name
		if name == "" {
			name = "#" + strconv.Itoa(n.Fluent)
		}
		if n.Primed {
			name = primedName(name)
		}
		b.WriteString(name)
	case Not, Neg:
		b.WriteByte("~-"[btoi(n.Op == Neg)])
		n.Args[0].write(b, bindPrefix)
	case If:
		if power > 0 {
			b.WriteByte('(')
		}
		b.WriteString("if (")
		n.Args[0].write(b, 0)
		b.WriteString(") then ")
		n.Args[1].write(b, 1)
		b.WriteString(" else ")
		n.Args[2].write(b, btoi(n.Args[2].Op != If))
		if power > 0 {
			b.WriteByte(')')
		}
	case Case:
		n.writeCase(b)
	case Min:
		n.writeCall(b, "min")
	case Max:
		n.writeCall(b, "max")
	case Random:
		if n.Name == "Discrete" || n.Name == "UnnormDiscrete" {
			n.writeOutcomes(b)
			return
		}
		n.writeCall(b, n.Name)
	default:
		n.writeCall(b, n.Name)
	}
}

// writeInfix writes an operation whose sign stands between its arguments.
func (n *Node) writeInfix(b *strings.Builder, power int) {
	op := infix[n.Op]
	brackets := op.power < power
	if brackets {
		b.WriteByte('(')
	}
	for i, a := range n.Args {
		if i > 0 {
			b.WriteString(" " + op.sign + " ")
		}
		// Arguments of an n-ary operation need brackets unless they bind more strongly;
		// of equal strength, only the first argument of - and / and => needs none.
		if i == 0 && op.power != bindRelation {
			a.write(b, op.power)
		} else {
			a.write(b, op.power+1)
		}
	}
	if brackets {
		b.WriteByte(')')
	}
}

// writeCase writes a switch.
func (n *Node) writeCase(b *strings.Builder) {
	b.WriteString("switch (")
	n.Args[0].write(b, 0)
	b.WriteString(") {")
	for i := 1; i+1 < len(n.Args); i += 2 {
		b.WriteString("case ")
		n.Args[i].write(b, 0)
		b.WriteString(" : ")
		n.Args[i+1].write(b, 0)
		b.WriteString(", ")
	}
	if d := n.Args[len(n.Args)-1]; d != nil {
		b.WriteString("default : ")
		d.write(b, 0)
	}
	b.WriteByte('}')
}

// writeOutcomes writes a draw from listed values with their weights.
func (n *Node) writeOutcomes(b *strings.Builder) {
	b.WriteString(n.Name + "(")
	for i := 0; i+1 < len(n.Args); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		n.Args[i].write(b, 0)
		b.WriteString(" : ")
		n.Args[i+1].write(b, 0)
	}
	b.WriteByte(')')
}

func (n *Node) writeCall(b *strings.Builder, name string) {
	opening, closing := byte('['), byte(']')
	if n.Op == Random {
		opening, closing = '(', ')'
	}
	b.WriteString(name)
	b.WriteByte(opening)
	for i, a := range n.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		a.write(b, 0)
	}
	b.WriteByte(closing)
}

func btoi(v bool) int {
	if v {
		return 1
	}
	return 0
}

func valueName(t Type, values []string, v float64) string {
	switch t {
	case Bool:
		return strconv.FormatBool(v != 0)
	case Enum:
		if v >= 0 && int(v) < len(values) && v == float64(int(v)) {
			return values[int(v)]
		}
	case Int:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// String is the type's name in messages.
func (t Type) String() string { return [...]string{"bool", "int", "real", "enum"}[t&3] }

// String is the kind's name in messages.
func (k Kind) String() string { return [...]string{"state", "action", "interm", "observ"}[k&3] }
