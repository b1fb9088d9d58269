//go:build !js

package frontend

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestForGraph: TLC gets what makes the graph, and nothing that checks it or merges states of it.
func TestForGraph(t *testing.T) {
	const config = `\* PROPERTY in a comment
CONSTANTS N = 3 INVARIANT Safe
 "NEXT" \* both
PROPERTIES Live (* a
 NEXT *) More
SPECIFICATION Spec
CONSTRAINT Small (* (* in each other *) SYMMETRY Nothing *)
ALIAS Shown
CHECK_DEADLOCK TRUE
CONSTANT S = "VIEW"
SYMMETRY Perms INVARIANT Last VIEW Seen _POSSIBLE Odd POSTCONDITIONS All CONSTANT M = 4`
	c := forGraph(config)
	if !c.hasConstraints || strings.Count(c.text, "\n") != strings.Count(config, "\n") || len(c.text) != len(config) || c.merging != "SYMMETRY" || c.mergingLine != 11 {
		t.Errorf("%+v", c)
	}
	const want = `\* PROPERTY in a comment CONSTANTS N = 3 SPECIFICATION Spec CONSTRAINT Small (* (* in each other *) SYMMETRY Nothing *) CONSTANT S = "VIEW" CONSTANT M = 4`
	if got := strings.Join(strings.Fields(c.text), " "); got != want {
		t.Error(got)
	}
	if c := forGraph("INIT I NEXT N TYPE_CONSTRAINT T \\* CONSTRAINT C"); c.hasConstraints || c.merging != "" {
		t.Errorf("a comment counts: %+v", c)
	}
	for _, text := range []string{"", "VIEW", "(*", "(* (*", `"`, `\*`, "VIEW (*", "SYMMETRY S\n(* *"} {
		if c := forGraph(text); len(c.text) != len(text) {
			t.Errorf("%q becomes %q", text, c.text)
		}
	}
}

// TestOldestOut: the models that were used last stay, as many as fit.
func TestOldestOut(t *testing.T) {
	folder := t.TempDir()
	now := time.Unix(1_000_000, 0)
	c := cache{folder: folder, mostBytes: 250, now: func() time.Time { return now }}
	ctx := context.Background()
	source := filepath.Join(t.TempDir(), "model.aut")
	if err := os.WriteFile(source, make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	key := func(letter string) string { return strings.Repeat(letter, 64) }
	put := func(letter string) string {
		now = now.Add(time.Hour)
		w := &work{tool: toolFor("m.bcg"), key: key(letter)}
		kept := c.store(ctx, w, source)
		if kept != "" {
			if err := os.Chtimes(filepath.Join(folder, key(letter)+".json"), now, now); err != nil {
				t.Fatal(err)
			}
		}
		return kept
	}
	put("a")
	put("b")
	now = now.Add(time.Hour)
	if _, found := c.find(ctx, key("a"), ".aut"); !found {
		t.Error("a is not found")
	}
	put("c") // b was not used for the longest time
	for letter, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, found := c.find(ctx, key(letter), ".aut"); found != want {
			t.Errorf("%s is found: %v, want %v", letter, found, want)
		}
	}
	c.mostBytes = 50
	if put("d") != "" {
		t.Error("what is larger than the cache is kept")
	}
	// Without a note nothing counts, and it goes in the end; other files stay.
	for _, name := range []string{key("e") + ".aut", "README.md"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	c.tidy("")
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != "README.md" {
		t.Errorf("left: %v (error %v)", entries, err)
	}
}

// TestStoppedBeforeItBegins: a program that a signal has stopped before it began keeps nobody waiting after an
// interruption; one that has begun is awaited to its end, and one that begins meanwhile, too.
func TestStoppedBeforeItBegins(t *testing.T) {
	never := make(chan struct{})
	begun := make(chan struct{})
	close(begun)
	ctx, cancel := context.WithCancel(context.Background())
	if !hasBegun(ctx, begun, time.Nanosecond) {
		t.Error("a program that has begun is not awaited")
	}
	cancel()
	if hasBegun(ctx, never, time.Nanosecond) {
		t.Error("a program that never begins is awaited")
	}
	if !hasBegun(ctx, begun, time.Hour) {
		t.Error("a program that has begun is not awaited after the interruption")
	}
	late := make(chan struct{})
	go close(late)
	if !hasBegun(ctx, late, time.Hour) {
		t.Error("a program that begins after the interruption is not awaited")
	}
}

// TestMoreModules: TLC also gets what the class path of Java names, if it is there, and the community modules next to its jar, each once.
func TestMoreModules(t *testing.T) {
	folder := t.TempDir()
	tools := filepath.Join(folder, "tla2tools.jar")
	community := filepath.Join(folder, "CommunityModules-deps.jar")
	for _, path := range []string{tools, community, filepath.Join(folder, "other.jar")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CLASSPATH", strings.Join([]string{"", filepath.Join(folder, "absent"), folder, tools}, string(filepath.ListSeparator)))
	if got, want := moduleFolders([]string{tools}), []string{folder, community}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := moduleFolders([]string{tools, community}); !slices.Equal(got, []string{folder}) {
		t.Errorf("got %q", got)
	}
}
