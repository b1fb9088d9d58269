//go:build !js

package editor

import (
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
)

// commandOf returns the command that makes the page of a job.
func commandOf(j batch.Job) []string { return wording.Command(j) }
