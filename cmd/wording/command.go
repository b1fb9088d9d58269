//go:build !js

package wording

import "github.com/inev-lts/inev/batch"

// Command returns the command that makes the page of a job of a batch.
func Command(j batch.Job) []string {
	line := []string{"inev", "explain", j.Path, j.Formula}
	line = append(line, j.Flags()...)
	return append(line, "--html", "page.html")
}
