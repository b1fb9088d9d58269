package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/ctl/wmc/verify"
)

// Evidence is written, and checked by who trusts the checker only.
func ExampleVerify() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,2,3)\n(0,REQ,1)\n(1,ACK,2)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := syntax.Parse(ctx, "AF deadlock")
	if err != nil {
		log.Fatal(err)
	}
	a, err := wmc.Check(ctx, wmc.NewExplicit(m, nil, nil), f.Closure(), wmc.States{0}, wmc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var evidence bytes.Buffer
	question := wmc.Question{Model: m, Formula: f.String()}
	if err := question.WriteJSON(&evidence, a); err != nil {
		log.Fatal(err)
	}
	r, err := verify.Verify(ctx, m, f, &evidence, verify.Options{})
	fmt.Println(r.Good, r.Bad, err)

	forged := `{"schema": "inev.ctl/1", "model": {"initial": 0, "states": 3, "transitions": 2},
"formula": "AF deadlock", "formulas": ["true", "deadlock", "AF deadlock"], "internal": [],
"holds": true, "good": [0], "bad": [], "evidence": {"formula": 2, "asked": [0], "good": [0], "bad": [],
"visited": [0], "holds": [0], "q": [0], "ranks": [[0]], "frontiers": [{"reached": [0]}]}}`
	_, err = verify.Verify(ctx, m, f, strings.NewReader(forged), verify.Options{})
	fmt.Println(err)
	// Output:
	// [0] [] <nil>
	// AF deadlock in state 0: Q or P is not what follows from its operands
}
