package main

import (
	"crypto/sha256"
	"runtime"
	"strings"
	"testing"
)

// TestLimitsAreKept tries some commands on models that are large enough for their
// arrays to matter.
func TestLimitsAreKept(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("it builds inev, and measures what processes take")
	}
	for _, c := range []struct{ shape, only string }{
		{"chain", "check M F --all"}, {"chain", "explain M F --unfold"}, {"chain", "explain M F --full"},
		{"component", "explain M F --html"}, {"random", "classify"},
	} {
		var table strings.Builder
		if err := (trials{transitions: "500k", limits: 2, seed: 1, shape: c.shape, only: c.only}).run(&table); err != nil {
			t.Errorf("%v\n%s", err, table.String())
		}
		if !strings.Contains(table.String(), c.only) {
			t.Errorf("%s is missing in\n%s", c.only, table.String())
		}
	}
}

func TestFault(t *testing.T) {
	nothing := map[string][sha256.Size]byte{standardOutput: sha256.Sum256(nil)}
	said := map[string][sha256.Size]byte{standardOutput: sha256.Sum256([]byte("holds"))}
	free := outcome{exitCode: 1, peak: 500 << 20, results: said}
	for want, under := range map[string]outcome{
		"":                           {exitCode: 1, peak: 200 << 20, results: said},
		"far more than its limit":    {exitCode: 1, peak: 300 << 20, results: said},
		"exit code 0, not 1":         {exitCode: 0, results: said},
		"standard output is another": {exitCode: 1, results: nothing},
		"says one\ntwo --memory\n":   {exitCode: 2, stderr: "one\ntwo --memory\n", results: nothing},
		"says no help\n":             {exitCode: 2, stderr: "no help\n", results: nothing},
		"leaves results behind":      {exitCode: 2, stderr: "--memory\n", results: said},
		"leaves another file behind": {exitCode: 2, stderr: "--memory\n", results: map[string][sha256.Size]byte{standardOutput: sha256.Sum256(nil), "file": {1}}},
	} {
		if got := fault("check M F", free, under, 200<<20); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
	warned := outcome{exitCode: 2, stderr: "inev: warning: large\nuse --memory\n", results: nothing}
	if got := fault("check M F", free, warned, 200<<20); got != "" {
		t.Errorf("a warning before the error: %q", got)
	}
	known := outcome{exitCode: 1, stderr: "inev: warning: stopped before the classes: memory\n", results: nothing}
	if got := fault("check M F", free, known, 200<<20); got != "" {
		t.Errorf("%q where the verdict was known", got)
	}
}
