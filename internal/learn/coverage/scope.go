package coverage

import "slices"

// Scope returns the support of some outputs where the values of unknown inputs, which the
// functions of these outputs do not read, are not known: a case is supported where it is with
// all values of them. The classes of the other outputs are dropped.
func (s *Support) Scope(outputs, unknown []bool) *Support {
	to := &Support{Inputs: s.Inputs, Outputs: s.Outputs, Variables: s.Variables, Tables: make([][]Table, s.Outputs), Classes: slices.Clone(s.Classes)}
	to.skipped = make([]bool, s.Outputs)
	isUnknown := func(l Literal) bool { return unknown[l/2] }
	for _, p := range s.Unseen {
		if !slices.ContainsFunc(p[:], isUnknown) {
			to.Unseen = append(to.Unseen, p)
		}
	}
	for o, tables := range s.Tables {
		if to.skipped[o] = !outputs[o]; to.skipped[o] {
			continue
		}
		for i := range tables {
			to.Tables[o] = append(to.Tables[o], tables[i].scope(unknown))
		}
	}
	for _, e := range s.Except {
		var f Exception
		for _, o := range e.Outputs {
			if outputs[o] {
				f.Outputs = append(f.Outputs, o)
			}
		}
		if len(f.Outputs) == 0 {
			continue
		}
		for _, c := range e.Cubes {
			f.Cubes = append(f.Cubes, slices.DeleteFunc(slices.Clone(c), isUnknown))
		}
		slices.SortStableFunc(f.Cubes, slices.Compare)
		f.Cubes = slices.CompactFunc(f.Cubes, slices.Equal)
		to.Except = append(to.Except, f)
	}
	return to
}

// Reads reports, by input, whether it depends on its value where some outputs are supported.
func (s *Support) Reads(outputs []bool) []bool {
	reads := make([]bool, s.Inputs)
	for o, tables := range s.Tables {
		for i := range tables {
			for _, b := range tables[i].Inputs {
				reads[b] = reads[b] || outputs[o]
			}
		}
	}
	for i := range s.Except {
		if !slices.ContainsFunc(s.Except[i].Outputs, func(o int) bool { return outputs[o] }) {
			continue
		}
		for _, c := range s.Except[i].Cubes {
			for _, l := range c {
				reads[l/2] = true
			}
		}
	}
	return reads
}

// Asks reports whether an output is asked for, which all are but for those that Scope left out.
func (s *Support) Asks(output int) bool { return s.skipped == nil || !s.skipped[output] }

// scope is the table over the inputs that are known: a cell is settled where all cells that it
// has with the unknown ones are, on the same value.
func (t *Table) scope(unknown []bool) Table {
	var to Table
	var kept []int // places in Inputs
	for i, b := range t.Inputs {
		if !unknown[b] {
			to.Inputs, kept = append(to.Inputs, b), append(kept, i)
		}
	}
	missing := len(t.Inputs) - len(kept)
	if missing == 0 {
		return *t
	}
	settled := func(cells []uint64) (all []uint64) {
		count := map[uint64]uint64{}
		for _, c := range cells {
			var cell uint64
			for k, i := range kept {
				cell |= c >> i & 1 << k
			}
			if count[cell]++; missing < 64 && count[cell] == 1<<missing {
				all = append(all, cell)
			}
		}
		slices.Sort(all)
		return all
	}
	to.On, to.Off = settled(t.On), settled(t.Off)
	return to
}
