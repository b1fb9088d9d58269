package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format/specification"
)

// sourceFlag names the files that a model was generated from.
const sourceFlag = "source"

func specificationFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: sourceFlag, Category: resultFlags, Usage: "name lines of the specification in `FILE` or a folder (.tla .mcrl2 .lnt .lotos .pml .fsp .go); repeatable"}
}

// readSources reads the files of the specification; nil if there are none.
func (j *job) readSources() (*specification.Files, error) {
	paths := j.c.StringSlice(sourceFlag)
	if len(paths) == 0 {
		own, err := j.ownSource()
		if err != nil || len(own) == 0 {
			return nil, err
		}
		return specification.Read(j.ctx, own)
	}
	files, err := specification.Read(j.ctx, paths)
	if err != nil && j.ctx.Err() == nil {
		return nil, fmt.Errorf("--%s: %w", sourceFlag, err)
	}
	return files, err
}

// aboutSources warns if no decision stands in the files of the specification.
func (j *job) aboutSources(e *explain.Explanation) *explain.Explanation {
	if j.options.Specification == nil || len(j.c.StringSlice(sourceFlag)) == 0 || len(e.Decisions) == 0 {
		return e
	}
	for i := range e.Decisions {
		if e.Decisions[i].Source != nil {
			return e
		}
	}
	return e.Warned(fmt.Sprintf("--%s: none of the actions that decide, such as %s, stands in these files outside of comments and strings", sourceFlag, e.Decisions[0].Chosen.Label))
}
