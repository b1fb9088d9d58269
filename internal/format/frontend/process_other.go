//go:build !unix && !js

package frontend

import (
	"os"
	"os/exec"
)

// inOwnGroup does nothing, because the system has no groups of programs.
func inOwnGroup(*exec.Cmd) {}

// awaitEnd does nothing, because the program was waited for.
func awaitEnd(*os.Process) {}

// endGroup ends the program alone.
func endGroup(p *os.Process) error { return p.Kill() }
