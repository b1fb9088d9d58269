package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// opening begins the part of a page of inev where its reader asks further questions.
const opening = `<section class="card asking screen-only" id="asking" aria-labelledby="asking-title">
<h2 id="asking-title">Ask another question</h2>
<p class="note">inev itself is in this page: it answers here, without a network, and nothing is sent anywhere. The first answer takes some seconds.</p>
<noscript><p class="note">This needs JavaScript.</p></noscript>
`

// naming matches attributes that name an element of the page.
var naming = regexp.MustCompile(`\b(id|for|aria-labelledby|aria-describedby|aria-controls)="`)

// writeAsking makes, from the page of the playground, the text that inev explain --html --engine
// puts into a page: the main element, and a style for that element only. All names begin with
// asking-, so that they differ from the names in the page.
func writeAsking(_ context.Context, root, folder string, _ settings) error {
	source := filepath.Join(root, "tools", "playground")
	text, err := os.ReadFile(filepath.Join(source, "index.html"))
	if err != nil {
		return err
	}
	_, rest, begins := strings.Cut(string(text), "<main>\n")
	inner, _, ends := strings.Cut(rest, "</main>")
	if !begins || !ends {
		return fmt.Errorf("index.html has no main part")
	}
	inner = strings.NewReplacer("<h2", "<h3", "</h2>", "</h3>").Replace(naming.ReplaceAllString(inner, `${1}="asking-`))
	if err := os.WriteFile(filepath.Join(folder, "asking.html"), []byte(opening+inner+"</section>\n\n"), 0o644); err != nil {
		return err
	}
	style, err := os.ReadFile(filepath.Join(source, "src", "playground.css"))
	if err != nil {
		return err
	}
	scoped, err := scopedStyle(string(style))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "asking.css"), scoped, 0o644)
}

// scopedStyle returns the rules of a style, one a line, limited to elements within .asking.
func scopedStyle(style string) ([]byte, error) {
	var b strings.Builder
	for line := range strings.Lines(style) {
		selectors, rules, is := strings.Cut(line, "{")
		if !is || strings.HasPrefix(line, "@") {
			continue
		}
		for i, s := range strings.Split(selectors, ",") {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(".asking " +
				strings.ReplaceAll(strings.TrimSpace(s), "#", "#asking-"))
		}
		b.WriteString("{" + rules)
	}
	made := api.Transform(b.String(), api.TransformOptions{
		Loader:           api.LoaderCSS,
		Charset:          api.CharsetASCII,
		MinifyWhitespace: true,
		MinifySyntax:     true,
	})
	if len(made.Errors)+len(made.Warnings) > 0 {
		return nil, fmt.Errorf("the style of questions in pages: %+v %+v", made.Errors,
			made.Warnings)
	}
	return made.Code, nil
}
