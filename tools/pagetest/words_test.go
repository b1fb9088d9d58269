package pagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// blocks are the data of a page.
var blocks = regexp.MustCompile(`<script type="application/json" id="(explanation|extra|surroundings)">(.*?)</script>`)

// told is what words.ts prints about a page.
type told struct {
	Captions []string
	Marked   [][]string
	Walked   []string
}

// TestCaptionsAreTrue lets the script of pages write the captions of each step, and mark the move that the
// run takes; both are compared with brute force. The script runs
// without a browser.
func TestCaptionsAreTrue(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the script of pages")
	}
	var input bytes.Buffer
	type asked struct {
		seed   uint64
		is     *assertions.Steps
		blamed map[int]string
		model  string
		texts  func(number int) string
	}
	var all []asked
	for seed := range randomlts.Share(3_000) {
		e := specimens.Nondeterministic(t, seed)
		if e.Trace() == nil {
			continue
		}
		is, _, _ := specimens.Steps(e)
		data := map[string]json.RawMessage{}
		for _, block := range blocks.FindAllStringSubmatch(withoutPictures(t, e, page.Options{}), -1) {
			data[block[1]] = json.RawMessage(block[2])
		}
		line, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
		var extra struct{ Blamed map[int]string }
		if err := json.Unmarshal(data["extra"], &extra); err != nil {
			t.Fatal(err)
		}
		for number, said := range extra.Blamed {
			extra.Blamed[number] = plainly(said)
		}
		all = append(all, asked{seed, is, extra.Blamed, specimens.Written(e), func(number int) string {
			at := is.Run.Transitions[number-1]
			return fmt.Sprintf("%s %d", e.LTS().Alphabet().Text(at.Label), at.To)
		}})
	}
	run := exec.Command(node, "--input-type=module")
	run.Args = append(run.Args, "--eval", script(t))
	run.Stdin = &input
	output, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d lines about %d pages", len(lines), len(all))
	}
	for i, a := range all {
		var page told
		if err := json.Unmarshal([]byte(lines[i]), &page); err != nil {
			t.Fatal(err)
		}
		for number := range len(a.is.Run.Transitions) {
			number++
			if err := a.is.Caption(number, plainly(page.Captions[number]), a.blamed); err != nil {
				t.Errorf("seed %d: %q: %v\n%s", a.seed, page.Captions[number], err, a.model)
			}
			// The run takes one move before this step, if there are several of its kind as well.
			if marked := page.Marked[number-1]; len(marked) != 1 || marked[0] != a.texts(number) {
				t.Errorf("seed %d: step %d is marked as %q, it is %s\n%s", a.seed, number, marked, a.texts(number), a.model)
			}
			if page.Walked[number-1] != a.texts(number) {
				t.Errorf("seed %d: step %d is walked as %q, it is %s\n%s", a.seed, number, page.Walked[number-1], a.texts(number), a.model)
			}
		}
	}
}

// plainly returns a sentence without the marks around texts of the model.
func plainly(said string) string {
	return strings.NewReplacer("\x02", "", "\x03", "").Replace(said)
}

// script returns words.ts with what it imports.
func script(t *testing.T) string {
	t.Helper()
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"words.ts"}, Bundle: true, Format: api.FormatESModule, Platform: api.PlatformNode, Target: api.ES2022,
	})
	if len(result.Errors) > 0 || len(result.OutputFiles) != 1 {
		t.Fatalf("%v", result.Errors)
	}
	return string(result.OutputFiles[0].Contents)
}
