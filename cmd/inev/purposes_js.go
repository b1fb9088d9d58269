package main

// purposes returns the commands that the engine of a page has: what the page asks. The others would
// double what has to be loaded.
func purposes() []purpose {
	return []purpose{
		{"Understand a model and why a property fails", []offer{
			{"explain", explainCommand}, {"why", whyCommand}, {"repair", repairCommand}, {"info", infoCommand}, {"labels", labelsCommand},
			{"walk", walkCommand},
		}},
		{"Exchange with other tools", []offer{{"formula", formulaCommand}}},
		{"inev itself", []offer{{"version", versionCommand}}},
	}
}
