package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// manifestWith writes m.yaml into a new folder: so many small models with three jobs each,
// and jobs of every other kind there is.
func manifestWith(t *testing.T, models int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for i := range models {
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("m%02d.aut", i)))
		if err == nil {
			err = generate.Write(context.Background(), f, generate.Spec{Kind: "scc", States: 20 + 4*i, Degree: 2, Labels: 5, Locality: 10, Seed: uint64(i)})
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"bad.aut":   "des (0,1,1)\n",
		"f.inev":    "Inev(ACTION)\nInev(\"ACTION !1\", \"ACTION !2\")\nInev(\"ACTION !0\")\n",
		"plain.aut": "des (0,3,3)\n(0,\"A\",1)\n(1,\"B\",2)\n(2,\"A\",0)\n",
		"same.aut":  "des (0,3,3)\n(0,\"A\",1)\n(1,\"B\",2)\n(2,\"A\",0)\n",
		"a.hoa": "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"A\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: deterministic complete\n--BODY--\n" +
			"State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
		"m.yaml": `jobs:
  - model: 'm*.aut'
    formula_file: f.inev
    expect: violated
  - model: bad.aut
    formula: Inev(A)
  - model: plain.aut
    formula: Inev(NOWHERE)
  - model: plain.aut
    formula: Inev(NOWHERE)
    name: allowed
    allow_unmatched: true
  - model: plain.aut
    formula: Response(A; B)
    tags: [one, two]
  - model: same.aut
    formula: Response(A; B)
  - model: plain.aut
    formula: Inev(A)
    fair: ["weak:each"]
  - model: plain.aut
    hoa: a.hoa
  - model: plain.aut
    formula: Inev(B)
    memory: 1KB
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
