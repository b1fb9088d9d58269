package main

// purposes returns the commands that a page needs. All commands would double the download.
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
