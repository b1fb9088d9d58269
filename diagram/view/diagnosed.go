package view

import "slices"

// Diagnosed returns the picture with this sentence, why the property fails, at the beginning
// of its caption and title.
func (g *Graph) Diagnosed(sentence string) *Graph {
	with := *g
	with.Caption.Diagnosis = sentence
	return &with
}

// Diagnosed returns the chart with this sentence, why the property fails, at the beginning of
// its caption and title.
func (c *Chart) Diagnosed(sentence string) *Chart {
	with := *c
	with.Caption.Diagnosis = sentence
	return &with
}

// Diagnosed returns the tour with this sentence at the beginning of the captions of all of its
// pictures. Cost O(stops).
func (t *Tour) Diagnosed(sentence string) *Tour {
	with := *t
	with.Stops = slices.Clone(t.Stops)
	for i := range with.Stops {
		stop := &with.Stops[i]
		if stop.Graph != nil {
			stop.Graph = stop.Graph.Diagnosed(sentence)
		}
		if stop.Chart != nil {
			stop.Chart = stop.Chart.Diagnosed(sentence)
		}
	}
	return &with
}
