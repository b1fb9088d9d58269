//go:build !js

package editor

import "github.com/inev-lts/inev/cmd/wording"

// commandOf returns the command that makes the page of a question.
func commandOf(q Question) []string {
	line := wording.Command(q.Job)
	if q.TLA != "" {
		line = append(line, "--tla", q.TLA)
	}
	return line
}
