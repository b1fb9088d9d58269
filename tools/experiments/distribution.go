package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// distributed is the heading of the section.
const distributed = "Peterson's algorithm as SPIN distributes it"

const distributionOpening = `
### ` + distributed + `

The papers print neither models nor properties. SPIN's distribution has a model of Peterson's algorithm
(Examples/peterson.pml). Here its critical section has a label ` + "`crit`" + `, and the property is
` + "`[] (flag[0] -> <> user[0]@crit)`" + `: process 0 enters once it wants to. SPIN's figures for this model are
nearer to Table 1 than its figures for our own. That hints at what the papers ran, but proves nothing.
As above, the last trail of -i need not have a cycle.

| search | length | transitions | stored | matched | found |
| --- | ---: | ---: | ---: | ---: | ---: |
`

// writeDistribution writes the results of SPIN on its own model, next to Table 1.
func writeDistribution(doc *strings.Builder, from sources) error {
	rows, err := from.distribution()
	if err != nil {
		return err
	}
	doc.WriteString(distributionOpening)
	doc.WriteString(rows)
	for _, row := range published("Peterson") {
		doc.WriteString(row.String())
	}
	return nil
}

// distributionRows runs SPIN on a model from its distribution, with only a label and the property
// added.
func distributionRows(ctx context.Context, path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "experiments")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	v := verifier{
		ctx:     ctx,
		folder:  folder,
		model:   "distributed.pml",
		reduces: false,
	}
	labelled := strings.Replace(string(text), "\tncrit++;", "crit:\tncrit++;", 1) +
		"\nltl answered { [] (flag[0] -> <> user[0]@crit) }\n"
	if err := os.WriteFile(filepath.Join(folder, v.model), []byte(labelled), 0o644); err != nil {
		return "", err
	}
	name, err := v.name()
	if err != nil {
		return "", err
	}
	if _, err := v.command("spin", "-a", v.model); err != nil {
		return "", err
	}
	var rows strings.Builder
	for _, v.reduces = range []bool{true, false} {
		for _, variant := range [][]string{{"-a"}, {"-a", "-i"}} {
			row, err := v.verify(name, variant)
			if err != nil {
				return "", err
			}
			if !v.reduces {
				row.search += ", no partial order reduction"
			}
			rows.WriteString(row.String())
		}
	}
	return rows.String(), nil
}
