package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/collection"
)

// tlaModulesVariable names folders with the published modules of the graphs that others have written. Where a module is not there,
// another stands in for it, whose Next is any step: those of the graph are.
const tlaModulesVariable = "INEV_TLA_MODULES"

// published are the modules of the graphs, their variables, and what the stand-ins define besides.
var published = map[string]struct{ module, variables, more string }{
	"diehard_color": {"DieHard", "big, small", ""},
	"cat_odd":       {"Cat", "cat_box, observed_box, direction", ""},
	"peterson":      {"Peterson", "pc, c, turn", "proc(self) == pc'[self] # pc[self]"},
	"bq_dl_p1c2b1":  {"BlockingQueue", "buffer, waitSet", "CONSTANTS Producers, Consumers, BufCapacity\nNotifyOther == 1"},
	"quotes":        {"Quotes", "msg, log, tbl, last, wide", "CONSTANTS None, Alice, Bob"},
	"twophase2":     {"TwoPhase", "rmState, tmState, tmPrepared, msgs", "CONSTANT RM\nTPInit == TRUE\nTPNext == TRUE"},
}

// TestPropertiesOfTLA: properties of specifications, as they are written, have the verdicts that TLC gives under their own
// fairness, by check and by explain, and its counterexamples violate them.
func TestPropertiesOfTLA(t *testing.T) {
	table, there := collection.Foreign(t, "tlc/LIVENESS.tsv")
	if !there {
		t.Skip("the models are not there")
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Dir(table)
	folders := append(filepath.SplitList(os.Getenv(tlaModulesVariable)), filepath.Join(shared, "spec"))
	standIns := t.TempDir()
	for _, one := range published {
		writeFile(t, filepath.Join(standIns, one.module+".tla"), fmt.Sprintf(
			"---- MODULE %s ----\nEXTENDS Integers, Sequences\nVARIABLES %s\nvars == <<%[2]s>>\nInit == TRUE\nNext == TRUE\n%s\n====\n", one.module, one.variables, one.more))
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	if len(rows) < 32 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, line := range rows {
		row := strings.Split(line, "\t")
		one := published[row[0]]
		t.Run(fmt.Sprintf("%s %s %s", row[0], row[1], row[3]), func(t *testing.T) {
			folder := t.TempDir()
			wrapper := fmt.Sprintf("MC%d", i)
			specification := filepath.Join(folder, wrapper+".tla")
			module := one.module
			if module == "BlockingQueue" {
				module = "BQDeadlock" // which extends it, and lies with the graphs
			}
			writeFile(t, specification, fmt.Sprintf("---- MODULE %s ----\nEXTENDS %s\nAsked == %s\n====\n", wrapper, module, row[2]))
			configuration, err := os.ReadFile(filepath.Join(shared, "spec", row[0]+".cfg"))
			if err != nil {
				t.Fatal(err)
			}
			of := strings.NewReplacer("SPECIFICATION TPSpec", "SPECIFICATION Asked", "SPECIFICATION Spec", "SPECIFICATION Asked")
			writeFile(t, filepath.Join(folder, wrapper+".cfg"), of.Replace(string(configuration)))
			arguments := []string{filepath.Join(shared, row[0]+".dot"), row[3], "--tla", specification, "--quiet"}
			for _, folder := range append(folders, standIns) {
				if folder != "" {
					arguments = append(arguments, "--library", folder)
				}
			}
			asked := [][]string{{"check"}, {"explain", "--no-advice"}}
			if row[8] != "-" {
				asked = append(asked, []string{"explain", "--no-advice", "--counterexample", filepath.Join(shared, row[8])})
			}
			want := 0
			if row[4] == "violated" {
				want = 1
			}
			for _, command := range asked {
				var stdout, stderr bytes.Buffer
				code := run(append(append([]string{"inev"}, command...), arguments...), strings.NewReader(""), &stdout, &stderr)
				if code != want {
					t.Errorf("%s ends with %d, and TLC says %s:\n%s%s", command, code, row[4], stdout.String(), stderr.String())
				}
			}
		})
	}
	for name, want := range map[string]string{"fifo_constrained": "under a CONSTRAINT that this configuration does not have", "diehard_strict": "strict"} {
		specification := filepath.Join(standIns, "Any.tla")
		writeFile(t, specification, "---- MODULE Any ----\nProperty == TRUE\n====\n")
		var stdout, stderr bytes.Buffer
		code := run([]string{"inev", "check", filepath.Join(shared, name+".dot"), "Property", "--tla", specification}, strings.NewReader(""), &stdout, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s ends with %d: %s%s", name, code, stdout.String(), stderr.String())
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
