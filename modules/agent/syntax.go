package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// syntaxAddress is the address of the text about how properties are written.
const syntaxAddress = "inev://syntax"

// addSyntax adds the syntax of properties: as a resource, and in a prompt for whoever searches a cause.
func (s *Server) addSyntax() {
	s.mcp.AddResource(&mcp.Resource{
		URI:         syntaxAddress,
		Name:        "syntax",
		Title:       "How properties are written",
		MIMEType:    "text/plain",
		Description: "The patterns, their scopes, linear temporal logic and CTL, with the labels that a step stands for.",
	}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, err := s.syntax(ctx)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
			URI:      syntaxAddress,
			MIMEType: "text/plain",
			Text:     text,
		}}}, nil
	})
	s.mcp.AddPrompt(&mcp.Prompt{
		Name:        "find-cause",
		Title:       "Find out why something does not happen",
		Description: "Finds a model, writes a property of this model, and explains why the property fails.",
		Arguments: []*mcp.PromptArgument{
			{
				Name:        "expectation",
				Description: "what should happen, or never happen, in your words",
				Required:    true,
			},
			{Name: "model", Description: "path of the model; without it, the models below the roots are listed first"},
		},
	}, s.findCause)
}

// findCause returns the prompt with the client's words, which are quoted.
func (s *Server) findCause(
	ctx context.Context,
	r *mcp.GetPromptRequest,
) (*mcp.GetPromptResult, error) {
	expectation := strings.TrimSpace(r.Params.Arguments["expectation"])
	if expectation == "" {
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: "expectation is missing: what should happen, or never happen?",
		}
	}
	syntax, err := s.syntax(ctx)
	if err != nil {
		return nil, err
	}
	model := "Call models, and choose the model that it is about."
	if name := strings.TrimSpace(r.Params.Arguments["model"]); name != "" {
		model = "The model is\n" + quoted(name)
	}
	text := fmt.Sprintf(`Find out whether this is so in a model, and if not, why:
%s
1. %s
2. Call labels with gates, and choose the labels that it is about.
3. Write a property, by the syntax below, and call check. If the answer is "no label matches", take the label that it suggests.
4. If the property is violated, call explain: the decision that is the point of no return is where it goes wrong. Call why to
   ask about an action that did not happen, and call repair with apply to see what a remedy would change.
5. Say which property you checked, the run, the decision, and what would make the property hold.

How properties are written:

%s`, quoted(expectation), model, syntax)
	return &mcp.GetPromptResult{
		Description: "why something does not happen",
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}, nil
}

// answerSyntax answers a call of formula that has no formula.
func (s *Server) answerSyntax(ctx context.Context) (*mcp.CallToolResult, error) {
	text, err := s.syntax(ctx)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

// syntax returns what the help of the command says about properties: its descriptions, without flags and examples of
// command lines.
func (s *Server) syntax(ctx context.Context) (string, error) {
	var b strings.Builder
	for _, name := range []string{"formula", "ctl"} {
		outcome, err := s.run(ctx, nil,
			command{name: name, flags: []string{"--help"}, isText: true}, form{format: "text"})
		if err != nil {
			return "", err
		}
		if outcome.hasFailed {
			return "", errors.New(quoted(outcome.messages))
		}
		b.WriteString(descriptionIn(string(outcome.output)))
	}
	return b.String(), nil
}

// descriptionIn returns the text of a page of help between its usage and its examples.
func descriptionIn(page string) string {
	_, text, _ := strings.Cut(page, "\nUsage:")
	_, text, _ = strings.Cut(text, "\n\n")
	text, _, _ = strings.Cut(text, "\nExamples")
	return strings.TrimRight(text, "\n") + "\n\n"
}
