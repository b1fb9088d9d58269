package replay

// Space lets so many nodes lie between two layers that are kept.
func (a *Aligner) Space(nodes int) { a.spacing = nodes }

// Wait lets so many nodes be looked at again for nothing.
func (a *Aligner) Wait(nodes int) { a.patience = nodes }

// Visited returns the number of nodes of all layers that were computed.
func (a *Aligner) Visited() int { return a.visited }
