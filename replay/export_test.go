package replay

// Space lets so many nodes lie between two layers that are kept.
func (a *Aligner) Space(nodes int) { a.spacing = nodes }
