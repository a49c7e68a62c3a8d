package train

// Record is the summary of an epoch that reports keep.
type Record struct {
	Epoch int
	Loss  float64 // mean over rows and outputs, as the batches saw it
	Edges int     // of the folded network
	Best  bool    // better, before the search, than all earlier epochs
	Train Errors
	Test  Errors // all 0 without test rows
	// Polished is the number of wrong rows that the discrete search left, of training and
	// test rows together; -1 if there was no search.
	Polished int
}

// Errors is a summary of a Measure.
type Errors struct {
	Wrong              int     // distinct rows with a wrong bit
	RowError, BitError float64 // shares, with rows counted as often as they were seen
}

func (m *Measure) errors() Errors {
	if m == nil {
		return Errors{}
	}
	return Errors{m.WrongRows, m.RowError(), m.BitError()}
}

func (e *Epoch) record() Record {
	return Record{e.Epoch, e.Loss, e.Edges, e.Best, e.Train.errors(), e.Test.errors(), e.Polished}
}
