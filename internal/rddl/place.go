package rddl

// Place is where an expression occurs, which determines what it may read.
type Place uint8

// The places. What each may read, besides non-fluents:
const (
	InStateCPF    Place = iota // states, actions, intermediates, next states
	InIntermCPF                // states, actions, intermediates
	InDerivedCPF               // states, derived fluents
	InObservCPF                // states, actions, intermediates, next states
	InReward                   // states, actions, intermediates, next states, observations
	InPrecond                  // states, actions, derived fluents
	InInvariant                // states, derived fluents
	InConstraint               // states, actions, derived fluents
	InTermination              // states, derived fluents
	InGoal                     // states; not part of a file
	InProperty                 // states, actions, next states; not part of a file
)

type placeRule struct {
	name   string
	reads  [ObservFluent + 1]bool // by Kind
	primes bool
	random bool
}

var placeRules = func() [InProperty + 1]placeRule {
	const (
		n = 1 << NonFluent
		s = 1 << StateFluent
		a = 1 << ActionFluent
		i = 1 << IntermFluent
		d = 1 << DerivedFluent
		o = 1 << ObservFluent
	)
	rule := func(name string, reads int, primes, random bool) placeRule {
		r := placeRule{name: name, primes: primes, random: random}
		for k := range r.reads {
			r.reads[k] = reads>>k&1 == 1
		}
		return r
	}
	return [...]placeRule{
		InStateCPF:    rule("the cpf of a state-fluent", n|s|a|i|d, true, true),
		InIntermCPF:   rule("the cpf of an interm-fluent", n|s|a|i|d, false, true),
		InDerivedCPF:  rule("the cpf of a derived-fluent", n|s|d, false, false),
		InObservCPF:   rule("the cpf of an observ-fluent", n|s|a|i|d, true, true),
		InReward:      rule("the reward", n|s|a|i|d|o, true, true),
		InPrecond:     rule("action-preconditions", n|s|a|d, false, false),
		InInvariant:   rule("state-invariants", n|s|d, false, false),
		InConstraint:  rule("state-action-constraints", n|s|a|d, false, false),
		InTermination: rule("a termination condition", n|s|d, false, false),
		InGoal:        rule("a goal", n|s, false, false),
		InProperty:    rule("a property", n|s|a, true, false),
	}
}()

// readable refuses a fluent that has no value at the expression's place.
func (c *checker) readable(f *Fluent, v *PVariable) {
	rule := &placeRules[c.place]
	if f.Primed {
		if v.Kind != StateFluent {
			fail(f.Pos, "%s' has a prime, but %s is %s; only state-fluents have next values", f.Name, f.Name, kindArticle(v.Kind))
		}
		if !rule.primes {
			fail(f.Pos, "%s' is the next state, which %s cannot read; expected %s without the prime", f.Name, rule.name, f.Name)
		}
		return
	}
	if !rule.reads[v.Kind] {
		fail(f.Pos, "%s is %s, which %s cannot read", f.Name, kindArticle(v.Kind), rule.name)
	}
	if c.cpf != nil && c.cpf.Kind == v.Kind && c.cpf.HasLevel && v.HasLevel && v.Level >= c.cpf.Level {
		fail(f.Pos, "%s of level %d is read by %s of level %d; expected a level below %d",
			f.Name, v.Level, c.cpf.Name.Name, c.cpf.Level, c.cpf.Level)
	}
}
