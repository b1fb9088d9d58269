package batch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFrontEndOfManifests: a manifest says who composes a network, and with which options; jobs of one network with
// other options have a model of their own.
func TestFrontEndOfManifests(t *testing.T) {
	folder := tree(t, map[string]string{
		"a.aut": "des (0,2,2)\n(0,SEND,1)\n(1,i,0)\n",
		"b.aut": "des (0,2,2)\n(0,SEND,1)\n(1,i,0)\n",
		"n.exp": `hide SEND in "a.aut" |[SEND]| "b.aut" end hide`,
		"m.yaml": `jobs:
  - {name: lotos, model: n.exp, formula: Inev("i"), front_end_option: [-lotos]}
  - {name: mcrl, model: n.exp, formula: Inev("tau"), front_end_option: -mcrl, front_end: inev}
  - {name: cadp, model: n.exp, formula: Inev("i"), front-end: cadp}
`})
	m := opened(t, folder, "m.yaml")
	if flags := m.Jobs[0].Flags(); !slices.Equal(flags, []string{"--front-end-option", "-lotos"}) {
		t.Errorf("the flags of the first job are %q", flags)
	}
	if o := m.Jobs[1].Options; o.FrontEnd != "" || m.Jobs[2].Options.FrontEnd != "cadp" {
		t.Errorf("networks are composed by %q, %q", o.FrontEnd, m.Jobs[2].Options.FrontEnd)
	}
	out := run(t, m, Settings{Folder: filepath.Join(folder, "r")})
	for _, r := range out.Results[:2] {
		if r.Status != Satisfied {
			t.Errorf("%s: %s %s", r.Job.Name, r.Status, r.Error)
		}
	}
	if cadp := out.Results[2]; cadp.Status != Failed || !strings.Contains(cadp.Error, "exp.open") {
		t.Errorf("%s: %s %s", cadp.Job.Name, cadp.Status, cadp.Error)
	}
	wrong := tree(t, map[string]string{
		"a.aut": "des (0,1,1)\n(0,A,0)\n",
		"m.yaml": `jobs:
  - {model: a.aut, formula: Inev(A), front_end: lnt}
  - {model: a.aut, formula: Inev(A), front_end_option: -root}
`})
	const want = "m.yaml:2: front_end: \"lnt\" composes no networks; write inev or cadp\n" +
		"m.yaml:3: front_end_option: a.aut is a model already, and no front end makes it"
	if got := strings.ReplaceAll(mistakesIn(t, wrong, "m.yaml"), "DIR/", ""); strings.TrimSpace(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestJustNetworks: justness of a network needs no lanes, for its components move.
func TestJustNetworks(t *testing.T) {
	folder := tree(t, map[string]string{
		"a.aut": "des (0,1,1)\n(0,A,0)\n",
		"b.aut": "des (0,1,1)\n(0,B,0)\n",
		"n.exp": `"a.aut" ||| "b.aut"`,
		"m.yaml": `jobs:
  - {name: just, model: n.exp, formula: Inev(B), fair: just}
  - {name: any, model: n.exp, formula: Inev(B), expect: violated}
`})
	out := run(t, opened(t, folder, "m.yaml"), Settings{Folder: filepath.Join(folder, "r")})
	for i, want := range []Status{Satisfied, Violated} {
		if r := out.Results[i]; r.Status != want {
			t.Errorf("%s: %s %s, want %s", r.Job.Name, r.Status, r.Error, want)
		}
	}
}
