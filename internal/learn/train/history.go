package train

// Record is what reports keep of an epoch.
type Record struct {
	Epoch int
	Loss  float64 // mean over rows and outputs, as the batches saw it
	Edges int     // of the folded network
	Best  bool    // better, before the search, than all epochs before it
	Train Errors
	Test  Errors // all 0 without test rows
	// Polished is the number of wrong rows that the discrete search left, of
	// training and test rows together; -1 where there was no search.
	Polished int
}

// Errors are a Measure in short.
type Errors struct {
	Wrong              int     // distinct rows with a wrong bit
	RowError, BitError float64 // shares, rows counting as often as they were seen
}

func (m *Measure) errors() Errors {
	if m == nil {
		return Errors{}
	}
	return Errors{m.WrongRows, m.RowError(true), m.BitError(true)}
}

func (e *Epoch) record() Record {
	return Record{e.Epoch, e.Loss, e.Edges, e.Best, e.Train.errors(), e.Test.errors(), e.Polished}
}
