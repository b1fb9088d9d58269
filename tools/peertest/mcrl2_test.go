package peertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/tools/build"
)

// models is an environment variable: a list of patterns of files in mCRL2's format. In .aut
// it does not know the actions.
const models = "INEV_PEER_MODELS"

// Limits of what is compared.
const (
	mostTransitions = 6_000
	mostTime        = time.Minute
)

// gate is what needs no quotes in a formula.
var gate = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// programs are inev and the solver of mCRL2.
type programs struct{ inev, translate, solve string }

// TestFormulasAgreeWithMCRL2: the formulas of the mu-calculus that inev prints, for all runs
// and for fully fair ones, have the truth values in mCRL2 that inev finds.
func TestFormulasAgreeWithMCRL2(t *testing.T) {
	if os.Getenv(models) == "" {
		t.Skipf("%s names no models", models)
	}
	p := programs{inev: filepath.Join(t.TempDir(), "inev")}
	for name, path := range map[string]*string{"lts2pbes": &p.translate, "pbessolve": &p.solve} {
		found, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s of mCRL2 is not installed", name)
		}
		*path = found
	}
	if err := build.Command(context.Background(), p.inev); err != nil {
		t.Fatal(err)
	}
	var files []string
	var err error
	for _, pattern := range filepath.SplitList(os.Getenv(models)) {
		more, bad := filepath.Glob(pattern)
		files, err = append(files, more...), errors.Join(err, bad)
	}
	if err != nil {
		t.Fatal(err)
	}
	compared, agreed, held, unanswered := map[string]bool{}, 0, 0, 0
	for _, file := range files {
		for _, property := range p.properties(t, file) {
			for _, fair := range []string{"", "full"} {
				ours, theirs, err := p.verdicts(t, file, property, fair)
				if err != nil {
					unanswered++
					t.Logf("%s, %s %s: %v", file, property, fair, err)
					continue
				}
				compared[file] = true
				if ours != theirs {
					t.Errorf("%s, %s %s: inev says %t, mCRL2 %t", file, property, fair, ours, theirs)
					continue
				}
				agreed++
				if ours {
					held++
				}
			}
		}
	}
	if agreed == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d models, %d questions answered alike, %d of them yes; %d not answered by mCRL2", len(compared), agreed, held, unanswered)
}

// properties returns some properties of a model, by its first and last gates; none of one
// that cannot be read or is large.
func (p programs) properties(t *testing.T, file string) []string {
	var info struct{ Model struct{ Transitions int } }
	if code := p.ask(t, &info, "info", file, "--format", "json"); code != 0 || info.Model.Transitions > mostTransitions {
		return nil
	}
	var labels struct{ Labels []struct{ Gate string } }
	p.ask(t, &labels, "labels", file, "--format", "json")
	var gates []string
	met := map[string]bool{"": true, "tau": true, "i": true}
	for _, l := range labels.Labels {
		if !met[l.Gate] && gate.MatchString(l.Gate) {
			met[l.Gate] = true
			gates = append(gates, l.Gate)
		}
	}
	if len(gates) == 0 {
		return nil
	}
	var all []string
	for _, first := range gates[:min(3, len(gates))] {
		all = append(all, "Inev("+first+")")
	}
	last := gates[len(gates)-1]
	return append(all, "Inev("+gates[0]+", "+last+")", "Inev({"+gates[0]+", "+last+"})")
}

// verdicts returns what inev finds, and what mCRL2 says of the formula that inev prints.
func (p programs) verdicts(t *testing.T, file, property, fair string) (ours, theirs bool, err error) {
	var assumed []string
	if fair != "" {
		assumed = []string{"--fair", fair}
	}
	code := p.ask(t, nil, append([]string{"check", file, property, "--quiet"}, assumed...)...)
	if code > 1 {
		return false, false, fmt.Errorf("inev exits with %d", code)
	}
	var printed struct {
		Mu string `json:"mu_calculus"`
	}
	p.ask(t, &printed, append([]string{"formula", property, "--model", file, "--format", "json"}, assumed...)...)
	theirs, err = p.solved(t, file, printed.Mu)
	return code == 0, theirs, err
}

// ask runs inev, and reads what it writes as JSON where that is asked for.
func (p programs) ask(t *testing.T, answer any, arguments ...string) (code int) {
	t.Helper()
	var out bytes.Buffer
	command := golden.Command(t, p.inev, arguments...)
	command.Stdout = &out
	var failed *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if code = command.ProcessState.ExitCode(); answer != nil && code == 0 {
		if err := json.Unmarshal(out.Bytes(), answer); err != nil {
			t.Fatalf("inev %v: %v", arguments, err)
		}
	}
	return code
}

// solved asks mCRL2 whether a formula holds of a model.
func (p programs) solved(t *testing.T, file, formula string) (bool, error) {
	folder := t.TempDir()
	property, equations := filepath.Join(folder, "property.mcf"), filepath.Join(folder, "equations.pbes")
	if err := os.WriteFile(property, []byte(formula), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), mostTime)
	defer stop()
	if said, err := exec.CommandContext(ctx, p.translate, "--formula="+property, file, equations).CombinedOutput(); err != nil {
		return false, fmt.Errorf("lts2pbes: %w: %s", err, said)
	}
	said, err := exec.CommandContext(ctx, p.solve, equations).Output()
	if err != nil {
		return false, fmt.Errorf("pbessolve: %w", err)
	}
	lines := strings.Fields(string(said))
	if n := len(lines); n > 0 && (lines[n-1] == "true" || lines[n-1] == "false") {
		return lines[n-1] == "true", nil
	}
	return false, fmt.Errorf("pbessolve says %q", said)
}
