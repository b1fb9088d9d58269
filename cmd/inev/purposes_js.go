package main

// purposes returns the commands that the engine of a page has: what the page asks. The others would
// double what has to be loaded.
func (p *program) purposes() []purpose {
	return []purpose{
		{"Understand a model and why a property fails", []offer{
			{"explain", p.explain}, {"why", p.why}, {"repair", p.repair}, {"info", p.info}, {"labels", p.labels},
			{"walk", p.walk},
		}},
		{"Exchange with other tools", []offer{{"formula", p.formula}}},
		{"inev itself", []offer{{"version", p.version}}},
	}
}
