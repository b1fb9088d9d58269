package summary

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func scriptOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("src/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestScriptKnowsTheData: the bundler compiles without types, and what the script does not know
// would be an empty column.
func TestScriptKnowsTheData(t *testing.T) {
	_, job, _ := strings.Cut(scriptOf(t, "batch.ts"), "export interface Job {\n")
	job, _, _ = strings.Cut(job, "\n}")
	var got []string
	for _, member := range regexp.MustCompile(`(?m)^  (\w+)\??:`).FindAllStringSubmatch(job, -1) {
		got = append(got, member[1])
	}
	want := []string{"ms", "order"} // which are not in the data of a job
	for _, field := range reflect.VisibleFields(reflect.TypeFor[jobData]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		want = append(want, name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("Job in src/batch.ts has\n%q, and jobData\n%q", got, want)
	}
}

// TestEachColumnHasAWidth: a cell without one would be on a line of its own.
func TestEachColumnHasAWidth(t *testing.T) {
	script, style := scriptOf(t, "jobs.ts"), scriptOf(t, "index.css")
	_, list, _ := strings.Cut(script, "const columns: Column[] = [\n")
	list, _, _ = strings.Cut(list, "\n  ];")
	columns := len(regexp.MustCompile(`(?m)^    (?:\{|text\(|number\()`).FindAllString(list, -1))
	if said := "columns.length > " + strconv.Itoa(columns); !strings.Contains(script, said) {
		t.Errorf("src/jobs.ts has no %q, and %d columns of each batch", said, columns)
	}
	hidden := len(regexp.MustCompile(`\.column-[\w-]+`).FindAllString(regexp.MustCompile(`.*\{ display: none; \}`).FindString(
		style[strings.Index(style, "@media (max-width: 62rem)"):]), -1))
	var got []int
	parentheses := regexp.MustCompile(`\([^)]*\)`)
	for _, widths := range regexp.MustCompile(`--columns: ([^;]*);`).FindAllStringSubmatch(style, -1) {
		got = append(got, len(strings.Fields(parentheses.ReplaceAllString(widths[1], ""))))
	}
	// The links come last, except in print; a comparison has one column more, and on a screen of medium width both
	// leave one out.
	all := columns + 1
	if want := []int{all, all + 1, all - 1, all, all - hidden, all - hidden + 1, columns, columns + 1}; !slices.Equal(got, want) {
		t.Errorf("the numbers of widths in src/index.css are %d, want %d", got, want)
	}
}
