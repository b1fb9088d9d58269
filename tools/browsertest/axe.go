package browsertest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// AxeCore is the environment variable with the path of the script of axe-core, which is axe.min.js
// of its package in npm. The script is no part of inev.
const AxeCore = "AXE_CORE"

// axeSource returns the script of axe-core. Without the script, it skips the test or, if CI is
// true, fails it.
func axeSource(t testing.TB) string {
	t.Helper()
	path := os.Getenv(AxeCore)
	if path == "" && os.Getenv("CI") != "true" {
		t.Skipf("%s does not say where axe-core is: accessibility is not tried out", AxeCore)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("axe-core (named by %s): %v", AxeCore, err)
	}
	return string(source)
}

// Accessible lets axe-core examine the page as it is now, and fails the test for each rule that the
// page breaks, except the rules named in except. One of the rules, which axe-core does not check by
// default, is that targets have at least 24 pixels.
func (b *Tab) Accessible(what string, except ...string) {
	b.t.Helper()
	source := axeSource(b.t)
	if b.Value(`typeof axe`) == "undefined" {
		b.Run(chromedp.Evaluate(source+";0", nil))
	}
	rules := map[string]map[string]bool{"target-size": {"enabled": true}}
	for _, rule := range except {
		rules[rule] = map[string]bool{"enabled": false}
	}
	options, err := json.Marshal(map[string]any{
		"rules":       rules,
		"resultTypes": []string{"violations"},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	var found string
	b.Run(chromedp.Evaluate(fmt.Sprintf(`axe.run(document, %s).then(r => r.violations
		.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary.replace(/\s+/g, " ")))
		.join("\n"))`, options), &found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	if found == "" {
		return
	}
	for _, violation := range strings.Split(found, "\n") {
		b.t.Errorf("%s: %s", what, violation)
	}
}
