package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The field names are a published format: they may grow, but none is renamed.
type (
	jsonSpan struct {
		File      string `json:"file"`
		Line      int    `json:"line"`
		Column    int    `json:"column"` // in runes, from 1
		Offset    int    `json:"offset"` // in bytes, from 0
		EndLine   int    `json:"endLine,omitempty"`
		EndColumn int    `json:"endColumn,omitempty"` // just behind the span
		EndOffset int    `json:"endOffset,omitempty"`
	}
	jsonLabel struct {
		jsonSpan
		Message string `json:"message"`
	}
	jsonDiagnostic struct {
		Code     string `json:"code"`
		Severity string `json:"severity"`
		jsonSpan
		Message string      `json:"message"`
		Labels  []jsonLabel `json:"labels,omitempty"`
		Notes   []string    `json:"notes,omitempty"`
		Fix     string      `json:"fix,omitempty"`
	}
)

func span(p, end Pos) jsonSpan {
	s := jsonSpan{File: p.File, Line: p.Line, Column: p.Col, Offset: p.Offset}
	if end.IsValid() {
		s.EndLine, s.EndColumn, s.EndOffset = end.Line, end.Col, end.Offset
	}
	return s
}

// JSON writes the diagnostics as one JSON array, one diagnostic a line.
func JSON(w io.Writer, l List) error {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range l {
		j := jsonDiagnostic{
			Code: d.Code, Severity: d.Severity.String(), jsonSpan: span(d.Pos, d.End),
			Message: d.Message, Notes: d.Notes, Fix: d.Fix,
		}
		for _, x := range d.Labels {
			j.Labels = append(j.Labels, jsonLabel{span(x.Pos, x.End), x.Message})
		}
		text, err := json.Marshal(j)
		if err != nil {
			return fmt.Errorf("diag: %w", err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	if len(l) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes the diagnostics as workflow commands, which GitHub Actions shows beside the lines of a pull request.
func GitHub(w io.Writer, l List) error {
	var b strings.Builder
	for _, d := range l {
		command := d.Severity.String()
		if d.Severity == SeverityNote {
			command = "notice"
		}
		b.WriteString("::" + command + " ")
		if d.Pos.File != "" {
			fmt.Fprintf(&b, "file=%s,", escapeProperty.Replace(d.Pos.File))
		}
		if d.Pos.IsValid() {
			fmt.Fprintf(&b, "line=%d,col=%d,", d.Pos.Line, d.Pos.Col)
			if d.End.IsValid() && d.End.Line == d.Pos.Line && d.End.Col > d.Pos.Col+1 {
				fmt.Fprintf(&b, "endLine=%d,endColumn=%d,", d.End.Line, d.End.Col-1) // inclusive here
			}
		}
		message := d.Message
		for _, x := range d.Labels {
			message += "\n" + x.Pos.String() + ": " + x.Message
		}
		for _, n := range d.Notes {
			message += "\nnote: " + n
		}
		if d.Fix != "" {
			message += "\nfix: " + d.Fix
		}
		fmt.Fprintf(&b, "title=%s::%s\n", escapeProperty.Replace(d.Code), escapeData.Replace(message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
