package main

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/report/page/serve"
)

// walked is the explored part of a model that a page does not contain, kept from one question
// to the next.
type walked struct {
	of      []string // the operands and assumptions
	answers *serve.Server
}

// questionFlag is the flag for the question of a page, see [serve.Server.To].
const questionFlag = "question"

// walkCommand returns the command that answers questions of a page about parts of its model
// that it does not contain.
func walkCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name: "walk", ArgsUsage: "MODEL FORMULA",
		Flags:  slices.Concat([]cli.Flag{value(resultFlags, questionFlag, "what is asked, as JSON")}, fairness(), runControl()),
		Action: action(p, walkOn),
	})
}

func walkOn(j *job) {
	var q struct{ Of, State, Q, Label string }
	if err := json.Unmarshal([]byte(j.flag(questionFlag)), &q); err != nil {
		j.refuse("--%s: %v", questionFlag, err)
	}
	of := slices.Concat(j.operands, j.c.StringSlice("fair"))
	if j.walked.answers == nil || !slices.Equal(of, j.walked.of) {
		j.options.NoAdvice = true
		j.options.NoFairness = len(j.options.Fair) == 0
		e := abort.Must(j.explained())
		*j.walked = walked{of, serve.New(e)}
	}
	text := abort.Must(j.walked.answers.To(j.ctx, q.Of, q.State, q.Q, q.Label))
	j.print(func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
