//go:build !js

package main

// purposes returns all commands: first those that most people need, last those for experts.
func purposes() []purpose {
	return []purpose{
		{"Understand a model and why a property fails", []offer{
			{"explain", explainCommand}, {"why", whyCommand}, {"repair", repairCommand}, {"compare", compareCommand}, {"diagram", diagramCommand}, {"serve", serveCommand},
			{"path", pathCommand}, {"info", infoCommand}, {"labels", labelsCommand},
		}},
		{"Check, also in continuous integration", []offer{
			{"check", checkCommand}, {"batch", batchCommand}, {"ctl", ctlCommand}, {"watch", watchCommand}, {"replay", replayCommand}, {"verify", verifyCommand},
		}},
		{"Exchange with other tools", []offer{{"formula", formulaCommand}, {"convert", convertCommand}, {"doctor", doctorCommand}}},
		{"inev itself", []offer{{"version", versionCommand}, {"help", helpCommand}}},
		{"Expert", []offer{
			{"enrich", enrichCommand}, {"classify", classifyCommand}, {"lasso", lassoCommand}, {"generate", generateCommand}, {"merge", mergeCommand},
			{"man", manCommand}, {"completion", completionCommand},
		}},
	}
}
