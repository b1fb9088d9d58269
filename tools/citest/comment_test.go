package citest

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const commentFile = top + "/docs/ci/github-comment.yml"

// pretendedComments stands in for gh. The comments of the pull request are files named by their numbers; comment 1 is that of
// another workflow, which has the same author.
const pretendedComments = `
case "$*" in
"pr comment 7 --body-file comment.md")
  cp comment.md comment-2.md ;;
"api --paginate repos/o/r/issues/7/comments --jq .[] | select(.user.login == \"github-actions[bot]\" and (.body | startswith(env.MARK))) | .id")
  for f in comment-*.md; do
    if [ "$(head -n 1 "$f")" = "$MARK" ]; then echo "$f" | tr -dc 0-9; fi
  done ;;
"api --silent --method PATCH repos/o/r/issues/comments/2 --field body=@comment.md")
  cp comment.md comment-2.md
  echo again >> edited ;;
*) echo "gh $*" >&2; exit 1 ;;
esac`

// TestCommentWorkflow runs the steps of the workflow, twice, on a pull request that adds a transition to a
// model: one comment names it, and that of another workflow stays.
func TestCommentWorkflow(t *testing.T) {
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, commentFile)), &w); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	m.set(w.Env)
	m.standIn("gh", pretendedComments)
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
	write("comment-1.md", "of another workflow\n")
	failed := ""
	steps := w.Jobs["compare"].Steps
	comment := steps[len(steps)-1]
	for _, s := range append(steps, comment) {
		if s.Run == "" {
			continue
		}
		env := []string{"BASE=" + strings.TrimSpace(base), "NUMBER=7", "GH_TOKEN=x", "MARK=" + s.Env["MARK"], "GITHUB_REPOSITORY=o/r", "GITHUB_STEP_SUMMARY=" + m.path("step.md")}
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
	if other := read(t, m.path("comment-1.md")); other != "of another workflow\n" {
		t.Errorf("the comment of another workflow is %q", other)
	}
	if edited := read(t, m.path("edited")); edited != "again\n" {
		t.Errorf("the comment was edited %q", edited)
	}
	for _, file := range []string{"comment-2.md", "step.md"} {
		text, err := os.ReadFile(m.path(file))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(text), "`", ""), want) {
			t.Errorf("%s does not say %q: %v\n%s", file, want, err, text)
		}
	}
}
