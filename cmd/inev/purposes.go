//go:build !js

package main

// purposes returns all commands, first those that most people need first, last those for
// experts.
func (p *program) purposes() []purpose {
	return []purpose{
		{"Understand a model and why a property fails", []offer{
			{"explain", p.explain}, {"why", p.why}, {"repair", p.repair}, {"compare", p.compare}, {"diagram", p.diagram}, {"serve", p.serve},
			{"path", p.path}, {"info", p.info}, {"labels", p.labels},
		}},
		{"Check, also in continuous integration", []offer{
			{"check", p.check}, {"batch", p.batch}, {"ctl", p.ctl}, {"watch", p.watchLog}, {"replay", p.replay}, {"verify", p.verify},
		}},
		{"Exchange with other tools", []offer{{"formula", p.formula}, {"convert", p.convert}, {"doctor", p.doctor}}},
		{"inev itself", []offer{{"version", p.version}, {"help", p.help}}},
		{"Expert", []offer{
			{"enrich", p.enrich}, {"classify", p.classify}, {"lasso", p.lasso}, {"generate", p.generate}, {"merge", p.merge},
			{"man", p.man}, {"completion", p.completion},
		}},
	}
}
