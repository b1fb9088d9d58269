package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/inev-lts/inev/internal/printable"
)

// MostText is the largest size of the text of a result, in bytes.
const MostText = 2048

// roomForOmission is the number of bytes kept free for the line that says how much text was omitted.
const roomForOmission = 100

// answer runs a question, and returns the result for the client.
func (s *Server) answer(
	ctx context.Context,
	roots []string,
	q question,
) (*mcp.CallToolResult, error) {
	c := q.command()
	switch q := q.(type) {
	case diagramQuestion:
		return s.draw(ctx, roots, q)
	case formulaQuestion:
		if q.Formula == "" {
			return s.answerSyntax(ctx)
		}
	}
	outcome, err := s.run(ctx, roots, c, form{format: "text"})
	if err != nil {
		return nil, err
	}
	if outcome.hasFailed {
		return failureOf(outcome), nil
	}
	text, err := s.textFor(ctx, roots, q, outcome)
	if err != nil {
		return nil, err
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if c.isText {
		return result, nil
	}
	uri, err := address(c.name, q)
	if err != nil {
		return nil, err
	}
	result.Content = append(result.Content, &mcp.ResourceLink{
		URI: uri,
		Name: "inev " +
			c.name,
		MIMEType:    "application/json",
		Description: "the whole result as JSON, computed when it is read",
	})
	if hasFinding(c.name) {
		found, err := findingOf(c, outcome)
		if err != nil {
			return nil, err
		}
		result.StructuredContent = found
	}
	return result, nil
}

// textFor returns the text of an answer: that of the command, or the part of it that was asked for.
func (s *Server) textFor(
	ctx context.Context,
	roots []string,
	q question,
	outcome processResult,
) (string, error) {
	switch q := q.(type) {
	case labelsQuestion:
		return s.labelsAskedFor(ctx, roots, q, outcome)
	case explainQuestion:
		if q.Step != 0 {
			text, err := aboutStep(outcome, q.Step)
			return quoted(text), err
		}
	}
	return quoted(string(outcome.output) + outcome.messages), nil
}

// labelsAskedFor returns the head of a table of labels, and after it the lines for which a question
// asks. The table for programs has the same lines in the same order, and its lines show where a
// label ends.
func (s *Server) labelsAskedFor(
	ctx context.Context,
	roots []string,
	q labelsQuestion,
	outcome processResult,
) (string, error) {
	pattern, err := patternOf(q.Match)
	if err != nil {
		return "", err
	}
	lines := linesOf(outcome.output)
	if q.Match == "" {
		return paged(lines[0], lines[1:], q.Offset), nil
	}
	exact, err := s.run(ctx, roots, q.command(), form{format: "tsv"})
	if err != nil {
		return "", err
	}
	rows := linesOf(exact.output)
	if exact.hasFailed || len(rows) != len(lines) {
		return "", errors.New("the model was changed meanwhile: ask again")
	}
	var matching []string
	for i, row := range rows[1:] {
		label, _, _ := strings.Cut(row, "\t")
		if pattern.MatchString(label) {
			matching = append(matching, lines[i+1])
		}
	}
	return paged(fmt.Sprintf("%s (%d match)", lines[0], len(matching)), matching, q.Offset), nil
}

// linesOf returns the lines of a text.
func linesOf(text []byte) []string {
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// patternOf returns the expression of an argument.
func patternOf(match string) (*regexp.Regexp, error) {
	pattern, err := regexp.Compile(match)
	if err != nil {
		return nil, fmt.Errorf("match is no regular expression: %w", err)
	}
	return pattern, nil
}

// paged returns a head and, from an offset on, as many of the lines as [MostText] allows; if lines
// are left out, it names the offset of the next page.
func paged(head string, lines []string, offset int) string {
	var b strings.Builder
	quote := func(line string) string {
		return strings.TrimRight("> "+cleaned(line), " ") + "\n"
	}
	b.WriteString(quote(head))
	if offset >= len(lines) && offset > 0 {
		fmt.Fprintf(&b, "There are %d: none comes after offset %d.\n", len(lines), offset)
	}
	for i := max(offset, 0); i < len(lines); i++ {
		line := quote(lines[i])
		if b.Len()+len(line) > MostText-roomForOmission {
			fmt.Fprintf(&b, "%d more lines are left out; continue with offset %d.\n", len(lines)-i,
				i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// mostPixels is the largest width and height of a picture, unless the client asks for a certain
// view: clients scale larger pictures down, until nothing in them can be read.
const mostPixels = 3000

// draw runs a question whose answer is a picture. A large picture of the view that inev chose is drawn anew, as an
// excerpt.
func (s *Server) draw(
	ctx context.Context,
	roots []string,
	q diagramQuestion,
) (*mcp.CallToolResult, error) {
	as := form{picture: q.suffix()}
	outcome, err := s.run(ctx, roots, q.command(), as)
	if err != nil {
		return nil, err
	}
	if outcome.hasFailed {
		return failure(outcome.messages), nil
	}
	isViewOurs := q.View == "" || q.View == "auto"
	if size := pixelsOf(outcome.output); size > mostPixels && isViewOurs {
		q.View = "excerpt"
		excerpt, err := s.run(ctx, roots, q.command(), as)
		if err != nil {
			return nil, err
		}
		if !excerpt.hasFailed {
			excerpt.messages = fmt.Sprintf("the whole model takes a picture of %d pixels: this is an excerpt\n%s", size, excerpt.messages)
			outcome = excerpt
		}
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{pictureContent(outcome.output, as)}}
	if outcome.messages != "" {
		result.Content = append(result.Content, &mcp.TextContent{Text: quoted(outcome.messages)})
	}
	return result, nil
}

// pictureContent returns a picture as a part of a result.
func pictureContent(picture []byte, as form) mcp.Content {
	if as.picture == ".svg" {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI:      "inev://picture.svg",
			MIMEType: "image/svg+xml",
			Text:     string(picture),
		}}
	}
	return &mcp.ImageContent{MIMEType: "image/png", Data: picture}
}

// pixelsOf returns the width or the height of a PNG, the larger one; 0 for another picture.
func pixelsOf(picture []byte) int {
	shape, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return 0
	}
	return max(shape.Width, shape.Height)
}

// failure is the result of a call that inev could not answer.
func failure(said string) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: quoted(said)}},
	}
}

// failureOf is the result of a call that inev refused. Clients whose formula cannot be read are told where to find the
// syntax: many models see tools only, and neither resources nor prompts.
func failureOf(outcome processResult) *mcp.CallToolResult {
	refused := failure(outcome.messages)
	if !strings.HasPrefix(outcome.messages, "inev: formula:") {
		return refused
	}
	advice := &mcp.TextContent{Text: "The tool formula without arguments says how properties are written."}
	refused.Content = append(refused.Content, advice)
	return refused
}

// quoted returns a text as quoted lines, as many as [MostText] allows. inev escapes line breaks and
// control characters of labels, so that no label can end its line; quoted escapes those that
// remain.
func quoted(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		line = strings.TrimRight("> "+printable.Text(line), " ") + "\n"
		left := MostText - roomForOmission - b.Len()
		if i == len(lines)-1 {
			left += roomForOmission
		}
		if len(line) <= left {
			b.WriteString(line)
			continue
		}
		missing := len(lines) - i
		if i == 0 { // a single line may be longer than all the room
			b.WriteString(shortened(line, left-1) + "\n")
			missing--
			fmt.Fprintf(&b, "The line is cut, and %d follow; the resource has all.\n", missing)
			break
		}
		fmt.Fprintf(&b, "%d more lines are left out; the resource has all.\n", missing)
		break
	}
	return b.String()
}

// shortened returns the beginning of a text, without splitting a character; most limits its bytes.
func shortened(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
