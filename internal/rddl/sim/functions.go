package sim

import "github.com/fdplan/fdplan/internal/rddl/ground"

func (c *compiler) function(n *ground.Node) num {
	if u, ok := ground.FindUnary(n.Name); ok {
		if !c.arity(n, 1, 1) {
			return nil
		}
		a := c.num(n.Args[0])
		return func(m *machine) float64 {
			x := a(m)
			if u.Why != nil {
				if why := u.Why(x); why != "" {
					return m.fail(n, why, x)
				}
			}
			return finite(m, n, u.F(x)+0, x) // +0 turns the negative zero of ceil(-0.5) into 0
		}
	}
	if b, ok := ground.FindBinary(n.Name); ok {
		if !c.arity(n, 2, 2) {
			return nil
		}
		a1, a2 := c.num(n.Args[0]), c.num(n.Args[1])
		return func(m *machine) float64 {
			x, y := a1(m), a2(m)
			if b.Why != nil {
				if why := b.Why(x, y); why != "" {
					return m.fail(n, why, x, y)
				}
			}
			return finite(m, n, b.F(x, y)+0, x, y)
		}
	}
	c.refuse(n, "the simulator does not know the function %s", n.Name)
	return nil
}

// finite returns v, or a fault if v is infinite or not a number.
func finite(m *machine, n *ground.Node, v float64, args ...float64) float64 {
	if v-v != 0 {
		return m.fail(n, "the result is not a finite number", args...)
	}
	return v
}
