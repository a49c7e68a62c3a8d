package integers

import (
	"fmt"
	"slices"
	"strings"
)

// Variable is an integer of some input bits, most significant first: two's complement if it is
// signed. A Boolean is one of a single bit.
type Variable struct {
	Bits   []int `json:"bits"`
	Signed bool  `json:"signed,omitempty"`
}

// Value reads the variable from a packed row of inputs.
func (v *Variable) Value(in []uint64) int {
	x := 0
	for _, b := range v.Bits {
		x = x<<1 | int(in[b/64]>>(b%64)&1)
	}
	if v.Signed && x>>(len(v.Bits)-1) == 1 {
		x -= 1 << len(v.Bits)
	}
	return x
}

// Range is the least and the greatest value of the bits.
func (v *Variable) Range() (lo, hi int) {
	if v.Signed {
		return -1 << (len(v.Bits) - 1), 1<<(len(v.Bits)-1) - 1
	}
	return 0, 1<<len(v.Bits) - 1
}

// Op is the operation of an Expr.
type Op string

// The operations. Comparisons have the values 0 and 1.
const (
	Value   Op = "value"    // Constant
	Var     Op = "variable" // Variable
	Sum     Op = "sum"      // Constant and the arguments, each times its weight
	Min     Op = "min"
	Max     Op = "max"
	Abs     Op = "abs"
	Mod     Op = "mod"      // the argument modulo Constant, in 0..Constant-1
	AtLeast Op = "at least" // whether the argument is Constant or more
	Is      Op = "is"       // whether the argument is Constant
	If      Op = "if"       // the last argument if one of those before the last two is 0, else the one before the last
)

// Expr is an expression over integers.
type Expr struct {
	Op       Op        `json:"op"`
	Args     []*Expr   `json:"args,omitempty"`
	Weights  []int     `json:"weights,omitempty"` // of a Sum
	Constant int       `json:"constant,omitempty"`
	Variable *Variable `json:"variable,omitempty"`
}

// Eval returns the value for a packed row of inputs.
func (e *Expr) Eval(in []uint64) int {
	arg := func(i int) int { return e.Args[i].Eval(in) }
	switch e.Op {
	case Value:
		return e.Constant
	case Var:
		return e.Variable.Value(in)
	case Sum:
		x := e.Constant
		for i, w := range e.Weights {
			x += w * arg(i)
		}
		return x
	case Min:
		return min(arg(0), arg(1))
	case Max:
		return max(arg(0), arg(1))
	case Abs:
		return max(arg(0), -arg(0))
	case Mod:
		return remainder(arg(0), e.Constant)
	case AtLeast:
		return truth(arg(0) >= e.Constant)
	case Is:
		return truth(arg(0) == e.Constant)
	}
	last := len(e.Args) - 1
	for i := range last - 1 {
		if arg(i) == 0 {
			return arg(last)
		}
	}
	return arg(last - 1)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// remainder is x modulo m, in 0..m-1.
func remainder(x, m int) int { return ((x % m) + m) % m }

// walk calls f for the expression and all parts of it.
func (e *Expr) walk(f func(*Expr)) {
	f(e)
	for _, a := range e.Args {
		a.walk(f)
	}
}

// Inputs lists the input bits that are read, in increasing order.
func (e *Expr) Inputs() []int {
	var bits []int
	e.walk(func(x *Expr) {
		if x.Op == Var {
			bits = append(bits, x.Variable.Bits...)
		}
	})
	slices.Sort(bits)
	return slices.Compact(bits)
}

// Size counts the variables, the comparisons and the constants of sums and limits.
func (e *Expr) Size() (n int) {
	e.walk(func(x *Expr) {
		if x.Op == Var || x.Op == Value || x.Op == AtLeast || x.Op == Is || x.Constant != 0 {
			n++
		}
	})
	return n
}

// Renamed is the expression with input to[i] in place of input i.
func (e *Expr) Renamed(to []int) *Expr {
	r := *e
	r.Args = nil
	for _, a := range e.Args {
		r.Args = append(r.Args, a.Renamed(to))
	}
	if e.Variable != nil {
		v := Variable{Signed: e.Variable.Signed}
		for _, b := range e.Variable.Bits {
			v.Bits = append(v.Bits, to[b])
		}
		r.Variable = &v
	}
	return &r
}

// Range bounds the values.
func (e *Expr) Range() (lo, hi int) {
	var los, his []int
	for _, a := range e.Args {
		l, h := a.Range()
		los, his = append(los, l), append(his, h)
	}
	switch e.Op {
	case Value:
		return e.Constant, e.Constant
	case Var:
		return e.Variable.Range()
	case Sum:
		lo, hi = e.Constant, e.Constant
		for i, w := range e.Weights {
			lo, hi = lo+min(w*los[i], w*his[i]), hi+max(w*los[i], w*his[i])
		}
		return lo, hi
	case Min:
		return slices.Min(los), slices.Min(his)
	case Max:
		return slices.Max(los), slices.Max(his)
	case Abs:
		return max(0, los[0], -his[0]), max(his[0], -los[0])
	case Mod:
		return 0, e.Constant - 1
	case AtLeast, Is:
		return 0, 1
	}
	last := len(e.Args) - 1
	return min(los[last-1], los[last]), max(his[last-1], his[last])
}

// Within is the expression with its values limited to lo..hi, each case of it by itself.
func (e *Expr) Within(lo, hi int) *Expr {
	if e.Op == If {
		in := *e
		in.Args = slices.Clone(e.Args)
		for i := len(in.Args) - 2; i < len(in.Args); i++ {
			in.Args[i] = e.Args[i].Within(lo, hi)
		}
		return &in
	}
	least, most := e.Range()
	if least < lo {
		e = &Expr{Op: Max, Args: []*Expr{e, constant(lo)}}
	}
	if most > hi {
		e = &Expr{Op: Min, Args: []*Expr{e, constant(hi)}}
	}
	return e
}

// Text writes the expression as RDDL does, with names of variables.
func (e *Expr) Text(name func(*Variable) string) string {
	var args []string
	for _, a := range e.Args {
		args = append(args, a.Text(name))
	}
	switch e.Op {
	case Value:
		return fmt.Sprint(e.Constant)
	case Var:
		return name(e.Variable)
	case Sum:
		return e.sumText(args)
	case Min, Max:
		return fmt.Sprintf("%s[%s]", e.Op, strings.Join(args, ", "))
	case Abs:
		return fmt.Sprintf("abs[%s]", args[0])
	case Mod:
		return fmt.Sprintf("mod[%s, %d]", args[0], e.Constant)
	case AtLeast:
		return e.Args[0].comparison(args[0], e.Constant, name)
	case Is:
		return fmt.Sprintf("%s == %d", args[0], e.Constant)
	}
	last := len(args) - 1
	return fmt.Sprintf("if (%s) then %s else %s", strings.Join(args[:last-1], " ^ "), args[last-1], args[last])
}

// comparison writes that the expression, whose text is given, is k or more: x <= y, not -x + y >= 0.
func (e *Expr) comparison(text string, k int, name func(*Variable) string) string {
	part := func(i int) string { return e.Args[i].Text(name) }
	switch {
	case e.Op == Var && len(e.Variable.Bits) == 1 && k == 1:
		return text
	case e.Op != Sum || e.Constant != 0:
	case len(e.Args) == 1 && e.Weights[0] == -1 && e.Args[0].Op == Var && len(e.Args[0].Variable.Bits) == 1 && k == 0:
		return "~" + part(0)
	case len(e.Args) == 2 && e.Weights[0] == 1 && e.Weights[1] == -1 && (k == 0 || k == 1):
		return part(0) + [2]string{" >= ", " > "}[k] + part(1)
	case len(e.Args) == 2 && e.Weights[0] == -1 && e.Weights[1] == 1 && (k == 0 || k == 1):
		return part(1) + [2]string{" >= ", " > "}[k] + part(0)
	case !slices.ContainsFunc(e.Weights, func(w int) bool { return w > 0 }):
		minus := Expr{Op: Sum, Args: e.Args}
		for _, w := range e.Weights {
			minus.Weights = append(minus.Weights, -w)
		}
		return fmt.Sprintf("%s <= %d", minus.Text(name), -k)
	}
	return fmt.Sprintf("%s >= %d", text, k)
}

// sumText writes a sum, whose first term has no sign if it is positive.
func (e *Expr) sumText(args []string) string {
	var b strings.Builder
	sign := func(negative bool) {
		switch {
		case negative && b.Len() == 0:
			b.WriteString("-")
		case negative:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		}
	}
	for i, w := range e.Weights {
		sign(w < 0)
		if w = max(w, -w); w != 1 {
			fmt.Fprintf(&b, "%d * ", w)
		}
		b.WriteString(args[i])
	}
	if e.Constant != 0 || b.Len() == 0 {
		sign(e.Constant < 0)
		fmt.Fprint(&b, max(e.Constant, -e.Constant))
	}
	return b.String()
}

func constant(x int) *Expr { return &Expr{Op: Value, Constant: x} }

// plus adds a constant.
func (e *Expr) plus(c int) *Expr {
	switch {
	case c == 0:
		return e
	case e.Op == Value:
		return constant(e.Constant + c)
	case e.Op == Sum:
		s := *e
		s.Constant += c
		return &s
	}
	return &Expr{Op: Sum, Args: []*Expr{e}, Weights: []int{1}, Constant: c}
}
