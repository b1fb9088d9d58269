//go:build !js

package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// essence is the part of a command's help that is shown by default.
type essence struct {
	paragraphs int    // the number of paragraphs of the description; 0 for all
	examples   int    // the number of examples; 0 for all
	flags      string // the topics that most runs need, in this order
}

// essentials are the essences of the commands with many flags. The help of other commands is
// shown as a whole.
var essentials = map[string]essence{
	"explain":  {1, 2, "o format html svg json full hide fair faults counterexample formula allow-unmatched memory timeout"},
	"why":      {1, 0, "not step state o format formula fair timeout"},
	"serve":    {1, 0, "port idle lanes fair formula timeout"},
	"compare":  {1, 0, "o format by internal full fair allow-unmatched formula timeout"},
	"repair":   {1, 0, "o format uncontrollable controllable by fewest labels fair formula timeout"},
	"path":     {1, 0, "to pattern o format fair formula timeout"},
	"diagram":  {3, 3, "o view advice lanes rankdir no-legend max-states fair formula timeout"},
	"check":    {1, 2, "o format full hide all limit fair formula timeout"},
	"ctl":      {3, 0, "o format html svg evidence initial internal formula timeout"},
	"batch":    {3, 0, "o html svg format resume force dry-run baseline fail-on jobs shard memory timeout"},
	"formula":  {0, 3, "o format model fair formula hoa hoa-out svg"},
	"replay":   {2, 0, "o format html case field case-field map unlogged skip-broken full formula timeout"},
	"verify":   {1, 0, "formula hoa states fair timeout"},
	"convert":  {0, 0, "o write-states states formula timeout"},
	"enrich":   {0, 0, "o format unfold formula fair timeout"},
	"classify": {0, 0, "neighbourhoods o format unfold formula fair timeout"},
	"lasso":    {2, 0, "algorithm bound anytime o format timeout"},
	"generate": {2, 0, "list states degree labels width height processes seed o property"},
}

// briefly returns the help of a command as it is shown by default.
func briefly(command *cli.Command) string {
	shown, is := essentials[command.Name]
	if !is {
		return pageOf(command)
	}
	description, examples := command.Description, strings.Split(command.UsageText, "\n")
	if paragraphs := strings.Split(description, "\n\n"); shown.paragraphs > 0 && shown.paragraphs < len(paragraphs) {
		description = strings.Join(paragraphs[:shown.paragraphs], "\n\n")
	}
	if shown.examples > 0 {
		examples = examples[:min(shown.examples, len(examples))]
	}
	var b strings.Builder
	b.WriteString(opening(command, description, examples))
	b.WriteString(flagList(essentialFlags(command, shown)))
	more := fmt.Sprintf("All flags: inev %s --help --all.", command.Name)
	if strings.Contains(command.ArgsUsage, "FORMULA") && command.Name != "formula" {
		more += " Formulas: inev formula --help."
	}
	return b.String() + "\n" + more + "\n"
}

// essentialFlags returns the flags of an essence, all in one group.
func essentialFlags(command *cli.Command, shown essence) []cli.Flag {
	var flags []cli.Flag
	for _, name := range strings.Fields(shown.flags) {
		if f := findFlag(command, name); f != nil {
			flags = append(flags, ungrouped{f.(documentedFlag)})
		}
	}
	return flags
}

// documentedFlag is a flag with its text in the help.
type documentedFlag interface {
	cli.Flag
	cli.CategorizableFlag
}

// ungrouped is a flag in the group of general flags.
type ungrouped struct{ documentedFlag }

func (ungrouped) GetCategory() string { return generalFlags }
