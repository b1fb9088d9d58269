package main

// purposes returns the commands that the engine of a page has: what explains a model and a
// property. The others would double what has to be loaded.
func (p *program) purposes() []purpose {
	return []purpose{
		{"Understand a model and why a property fails", []offer{
			{"explain", p.explain}, {"why", p.why}, {"repair", p.repair}, {"diagram", p.diagram},
			{"path", p.path}, {"info", p.info}, {"labels", p.labels},
		}},
		{"Check, also in continuous integration", []offer{{"check", p.check}}},
		{"Exchange with other tools", []offer{{"formula", p.formula}}},
		{"inev itself", []offer{{"version", p.version}}},
	}
}
