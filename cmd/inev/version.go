package main

import (
	"runtime"
	"runtime/debug"
)

// unreleased is the version of a program that was built from a working copy.
const unreleased = "devel"

// version returns the version of the module that the program was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return unreleased
}

func versionLine(version string) string {
	return "inev " + version + " (" + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ")"
}
