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
(Examples/peterson.pml); with the property ` + "`[] (flag[0] -> <> crit)`" + `, where ` + "`crit`" + ` is ` + "`ncrit > 0`" + `, SPIN's
figures come near to those of Table 1. That is a lead to what the papers ran, and no more.

| search | length | transitions | stored | matched | found |
| --- | ---: | ---: | ---: | ---: | ---: |
`

// writeDistribution writes what SPIN finds in its own model, next to Table 1.
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

// distributionRows runs SPIN on its own model, as distributed but for the property that it is given.
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
	v := verifier{ctx, folder, "distributed.pml"}
	property := "\n#define crit (ncrit > 0)\nltl answered { [] (flag[0] -> <> crit) }\n"
	if err := os.WriteFile(filepath.Join(folder, v.model), append(text, property...), 0o644); err != nil {
		return "", err
	}
	name, err := v.name()
	if err != nil {
		return "", err
	}
	var rows strings.Builder
	for _, merging := range []struct {
		name string
		args []string
	}{{"", nil}, {", no merging of statements", []string{"-o3"}}} {
		if _, err := v.command("spin", append(merging.args, "-a", v.model)...); err != nil {
			return "", err
		}
		for _, variant := range [][]string{{"-a"}, {"-a", "-i"}} {
			row, err := v.verify(name, variant)
			if err != nil {
				return "", err
			}
			row.search += merging.name
			rows.WriteString(row.String())
		}
	}
	return rows.String(), nil
}
