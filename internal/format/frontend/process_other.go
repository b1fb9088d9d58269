//go:build !unix && !js

package frontend

import (
	"os"
	"os/exec"
)

// together does nothing, because the system has no groups of programs.
func together(*exec.Cmd) {}

// awaitEnd does nothing, because the program was waited for.
func awaitEnd(*os.Process) {}

// endAll ends the program alone.
func endAll(p *os.Process) error { return p.Kill() }
