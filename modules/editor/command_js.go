package editor

import "github.com/inev-lts/inev/batch"

// commandOf returns no command: in a browser there is none.
func commandOf(batch.Job) []string { return nil }
