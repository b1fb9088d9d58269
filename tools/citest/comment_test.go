package citest

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const commentFile = top + "/docs/ci/github-comment.yml"

// TestCommentWorkflow runs the steps of the workflow on a pull request that adds a transition to a
// model: the comment names it.
func TestCommentWorkflow(t *testing.T) {
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, commentFile)), &w); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	m.set(w.Env)
	m.standIn("gh", `[ "$1 $2 $3 $4 $5 $6" = "pr comment 7 --edit-last --create-if-none --body-file" ]
cp "$7" comment.md`)
	write := func(name, text string) {
		if err := os.WriteFile(m.path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit := `git -c user.name=a -c user.email=a@b -c init.defaultBranch=main `
	write("inev.yaml", "jobs:\n  - model: m.aut\n    formula: Inev(REQ, ACK)\n")
	write("m.aut", "des (0,2,3)\n(0,REQ,1)\n(1,ACK,2)\n")
	if out, code := m.run("-e", commit+"init -q . && git add . && "+commit+"commit -qm base && git rev-parse HEAD > "+m.path("base.sha")); code != 0 {
		t.Skipf("git is not at hand: %s", out)
	}
	write("m.aut", "des (0,3,3)\n(0,REQ,1)\n(1,ACK,2)\n(1,NAK,0)\n")
	m.run("-e", "git add m.aut && "+commit+"commit -qm change")
	base, _ := m.run("-e", "cat "+m.path("base.sha"))
	failed := ""
	for _, s := range w.Jobs["compare"].Steps {
		if s.Run == "" {
			continue
		}
		env := []string{"BASE=" + strings.TrimSpace(base), "NUMBER=7", "GH_TOKEN=x", "GITHUB_STEP_SUMMARY=" + m.path("step.md")}
		out, code := m.run("-e", s.Run, env...)
		if code != 0 {
			failed += s.Name + " "
		}
		t.Log(s.Name, code, out)
	}
	if failed != "Explain the change " {
		t.Errorf("these steps fail: %s", failed)
	}
	const want = "NAK from 1 to 0, taken in step 2"
	for _, file := range []string{"comment.md", "step.md"} {
		text, err := os.ReadFile(m.path(file))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(text), "`", ""), want) {
			t.Errorf("%s does not say %q: %v\n%s", file, want, err, text)
		}
	}
}
