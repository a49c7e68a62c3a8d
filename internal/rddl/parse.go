package rddl

// Parse parses one RDDL text; messages and positions call it name. The error, if any, is a
// *source.Error for the first fault.
//
// The tree represents the text alone: names are resolved and types are known only after
// Check.
func Parse(name string, src []byte) (file *File, err error) {
	p := &parser{lex: newLexer(name, src), file: &File{Name: name}}
	defer recoverFault(&err)
	p.advance()
	for p.tok.kind != tokEOF {
		p.block()
	}
	return p.file, nil
}

// ParseExpr reads one expression, such as a goal from a command line. Positions
// count within the text.
func ParseExpr(name string, src []byte) (e Expr, err error) {
	p := &parser{lex: newLexer(name, src), file: &File{Name: name}}
	defer recoverFault(&err)
	p.advance()
	e = p.expr(0)
	if p.tok.kind != tokEOF {
		p.unexpected("an operator or the end of the expression")
	}
	return e, nil
}

// parser is a recursive descent parser for blocks and sections, with an operator precedence
// parser for expressions. Faults reach Parse as a panic with a *source.Error.
type parser struct {
	lex   *lexer
	tok   token
	file  *File
	depth int
}

func (p *parser) unexpected(want string) {
	fail(p.tok.pos, "found %v, expected %s", p.tok, want)
}

func (p *parser) advance() token {
	t := p.tok
	next, err := p.lex.next()
	if err != nil {
		panic(err)
	}
	p.tok = next
	return t
}

// accept consumes the symbol if it comes next.
func (p *parser) accept(symbol string) bool {
	if p.tok.is(symbol) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(symbol, what string) token {
	if !p.tok.is(symbol) {
		p.unexpected("'" + symbol + "'" + what)
	}
	return p.advance()
}

// close expects the bracket that matches open.
func (p *parser) close(open token) {
	symbol := "}"
	switch open.text {
	case "(":
		symbol = ")"
	case "[":
		symbol = "]"
	}
	if !p.tok.is(symbol) {
		fail(p.tok.pos, "found %v, expected '%s' to close the '%s' at %d:%d", p.tok, symbol, open.text, open.pos.Line, open.pos.Col)
	}
	p.advance()
}

func (p *parser) expectWord(w string) {
	if !p.tok.word(w) {
		p.unexpected(w)
	}
	p.advance()
}

// ident reads a name chosen by the user.
func (p *parser) ident(what string) Ident {
	if p.tok.kind == tokPrimed {
		fail(p.tok.pos, "%v must be without a prime here, expected %s", p.tok, what)
	}
	if p.tok.kind != tokIdent {
		p.unexpected(what)
	}
	if isReserved(p.tok.text) {
		fail(p.tok.pos, "%s is a word of the language, expected %s", p.tok.text, what)
	}
	t := p.advance()
	return Ident{t.text, t.pos}
}

// value reads an object's or enumeration value's name, with or without @.
func (p *parser) value(what string) *Literal {
	at := p.tok.kind == tokLiteral
	lit := &Literal{Info: Info{Pos: p.tok.pos}, At: at}
	if at {
		lit.Name = p.advance().text
	} else {
		lit.Name = p.ident(what).Name
	}
	return lit
}

func (p *parser) block() {
	switch {
	case p.tok.word("domain"):
		p.domain()
	case p.tok.word("non-fluents"):
		p.nonFluents()
	case p.tok.word("instance"):
		p.instance()
	case p.tok.word("policy"):
		fail(p.tok.pos, "policy blocks are not supported, expected domain, non-fluents or instance")
	default:
		p.unexpected("domain, non-fluents or instance")
	}
	p.accept(";")
}

// afterSection is where a semicolon is expected.
const afterSection = " after the '}' of the section"

func (p *parser) domain() {
	d := &Domain{Pos: p.advance().pos}
	d.Name = p.ident("the domain's name")
	p.body(p.expect("{", ""), func() { p.domainSection(d) })
	p.file.Domains = append(p.file.Domains, d)
}

func (p *parser) domainSection(d *Domain) {
	head := p.tok
	if head.kind != tokIdent {
		p.unexpected("a section of the domain or '}'")
	}
	switch head.text {
	case "requirements":
		p.advance()
		p.accept("=")
		open := p.expect("{", "")
		p.list(open, func() { d.Requirements = append(d.Requirements, p.ident("a requirement")) })
		p.expect(";", afterSection)
	case "types":
		p.section(func() { d.Types = append(d.Types, p.typeDecl()) })
	case "objects":
		p.section(func() { d.Objects = append(d.Objects, p.objects()) })
	case "pvariables":
		p.section(func() { d.PVariables = append(d.PVariables, p.pvariable()) })
	case "cpfs", "cdfs":
		d.CDFs = d.CDFs || head.text == "cdfs"
		p.section(func() { d.CPFs = append(d.CPFs, p.cpf()) })
	case "reward":
		p.advance()
		if d.Reward != nil {
			fail(head.pos, "second reward of domain %s, expected one", d.Name.Name)
		}
		p.expect("=", "")
		d.Reward = p.expr(0)
		p.expect(";", " or an operator")
	case "action-preconditions":
		p.conditions(&d.Preconditions)
	case "state-invariants":
		p.conditions(&d.Invariants)
	case "state-action-constraints":
		p.conditions(&d.Constraints)
	case "termination":
		p.conditions(&d.Termination)
	default:
		p.unexpected("a section of the domain: requirements, types, objects, pvariables, cpfs, reward, " +
			"action-preconditions, state-invariants, state-action-constraints or termination")
	}
}

// section reads NAME { item… };
func (p *parser) section(item func()) {
	p.advance()
	p.body(p.expect("{", ""), item)
	p.expect(";", afterSection)
}

// body reads items up to the bracket that closes open.
func (p *parser) body(open token, item func()) {
	for !p.tok.is("}") && p.tok.kind != tokEOF {
		item()
	}
	p.close(open)
}

// list reads items with commas between, or none, up to the bracket that closes open.
func (p *parser) list(open token, item func()) {
	for !p.tok.is(")") && !p.tok.is("]") && !p.tok.is("}") {
		item()
		if !p.accept(",") {
			break
		}
	}
	p.close(open)
}

func (p *parser) conditions(list *[]Expr) {
	p.section(func() {
		*list = append(*list, p.expr(0))
		p.expect(";", " or an operator")
	})
}
