package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	source "go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/app/prove"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/measure"
)

// answers are the documents of the use cases, by the names of their schemas.
var answers = map[string]any{
	"PlanAnswer": execute.Document{}, "PolicyAnswer": policy.Document{}, "Explanation": explain.Explanation{}, "BoundAnswer": explain.BoundLines{},
	"PolicyExplanation": explain.PolicyExplanation{}, "Validation": execute.Verdict{}, "Verification": explain.Property{}, "Run": execute.RunDocument{},
	"Episodes": execute.EpisodesDocument{}, "Simulation": execute.Simulated{}, "Observation": execute.Observation{}, "Trained": learn.Trained{}, "Acted": act.Document{},
	"Errors": learn.Tested{}, "Proved": prove.Result{}, "Converted": learn.Converted{}, "Collected": execute.Collection{}, "Initialized": fromlog.Result{},
	"Contradictions": fromlog.Contradictions{}, "Network": inspect.NetworkDocument{}, "Summary": inspect.Summary{},
}

// fragments are documents within documents that other schemas refer to.
var fragments = map[string]any{"Column": fromlog.Column{}, "Measure": learn.ErrorLine{}, "Constraint": inspect.ConstraintLine{}}

// TestAnswersAreGenerated holds the schemas of answers to the types that are written as JSON, and to their
// comments; with -update they are written. They are the last of the schemas, from Answer on.
func TestAnswersAreGenerated(t *testing.T) {
	head, rest, ok := bytes.Cut(description, []byte("      \"Answer\": "))
	_, tail, closed := bytes.Cut(rest, []byte("\n    }"))
	if !ok || !closed {
		t.Fatal("there is no schema Answer in the description")
	}
	w := &schemaWriter{names: map[reflect.Type]string{}, schemas: map[string]any{}, comments: map[string]map[string]string{}}
	for _, name := range byHand(t, head) {
		w.schemas[name] = nil
	}
	var all []any
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		w.names[reflect.TypeOf(answers[name])] = name
		w.schemas[name] = nil
		all = append(all, map[string]any{"$ref": "#/components/schemas/" + name})
	}
	for name, v := range fragments {
		w.names[reflect.TypeOf(v)], w.schemas[name] = name, nil
	}
	for _, list := range []map[string]any{answers, fragments} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			w.schemas[name] = w.object(reflect.TypeOf(list[name]))
		}
	}
	var out bytes.Buffer
	put := func(name string, schema map[string]any) {
		text, err := lines(schema)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "      %q: %s", name, text)
	}
	put("Answer", map[string]any{"description": "What a use case answers. These schemas are generated from the types of the program.", "anyOf": all})
	for _, name := range slices.Sorted(maps.Keys(w.schemas)) {
		if w.schemas[name] != nil {
			out.WriteString(",\n")
			put(name, w.schemas[name].(map[string]any))
		}
	}
	text := slices.Concat(head, out.Bytes(), []byte("\n    }"), tail)
	switch {
	case bytes.Equal(text, description):
	case !*update:
		t.Error("the schemas of answers are not those of the types; go generate ./internal/serve writes them")
	default:
		if err := os.WriteFile("openapi.json", text, 0o666); err != nil {
			t.Fatal(err)
		}
		description = text
	}
}

// lines writes a schema with a line for each property.
func lines(schema map[string]any) ([]byte, error) {
	properties, _ := schema["properties"].(map[string]any)
	rest := maps.Clone(schema)
	delete(rest, "properties")
	head, err := json.Marshal(rest)
	if err != nil || properties == nil {
		return head, err
	}
	var out bytes.Buffer
	out.Write(head[:len(head)-1])
	out.WriteString(`, "properties": {`)
	for i, name := range slices.Sorted(maps.Keys(properties)) {
		text, err := json.Marshal(properties[name])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n        %q: %s", name, text)
	}
	out.WriteString("\n      }}")
	return out.Bytes(), nil
}

// byHand are the names of the schemas that are not generated.
func byHand(t *testing.T, head []byte) (names []string) {
	t.Helper()
	var a openAPI
	if err := json.Unmarshal(slices.Concat(head, []byte(`"Answer": {}}}}`)), &a); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(maps.Keys(a.Components.Schemas))
}

// schemaWriter makes the schemas of types.
type schemaWriter struct {
	names    map[reflect.Type]string
	schemas  map[string]any
	comments map[string]map[string]string // of a package: by type, and by type and field
}

// marshalled are the schemas of types that write their JSON themselves.
var marshalled = map[reflect.Type]map[string]any{
	reflect.TypeFor[app.Values]():      {"$ref": "#/components/schemas/Values"},
	reflect.TypeFor[measure.Fluents](): {"type": "object", "additionalProperties": map[string]any{"$ref": "#/components/schemas/Fluent"}},
	reflect.TypeFor[policy.Lead]():     {"type": "array", "items": map[string]any{"type": "number"}, "description": "State, probability, reward, disturbances."},
	reflect.TypeFor[json.RawMessage](): {},
	reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
	reflect.TypeFor[engine.Status]():   {"type": "string", "enum": []string{"optimal", "feasible", "infeasible", "unknown"}},
}

// of describes what a value of a type is as JSON.
func (w *schemaWriter) of(t reflect.Type) map[string]any {
	if s, ok := marshalled[t]; ok {
		if t == reflect.TypeFor[measure.Fluents]() {
			w.of(reflect.TypeFor[measure.Fluent]())
		}
		return maps.Clone(s)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(w.of(t.Elem()))
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return nullable(map[string]any{"type": "array", "items": w.of(t.Elem())})
	case reflect.Array:
		return map[string]any{"type": "array", "items": w.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return nullable(map[string]any{"type": "object", "additionalProperties": w.of(t.Elem())})
	case reflect.Struct:
		return map[string]any{"$ref": "#/components/schemas/" + w.name(t)}
	case reflect.String:
		return map[string]any{"type": "string"}
	}
	return map[string]any{}
}

// nullable is a schema that null fits, too.
func nullable(s map[string]any) map[string]any {
	switch t := s["type"].(type) {
	case string:
		if s["enum"] != nil {
			return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
		}
		s["type"] = []string{t, "null"}
	case nil:
		if s["$ref"] != nil {
			return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
		}
	}
	return s
}

// name is the name of the schema of a struct, which is made.
func (w *schemaWriter) name(t reflect.Type) string {
	if name, ok := w.names[t]; ok {
		return name
	}
	name := strings.TrimSuffix(t.Name(), "Line")
	if _, taken := w.schemas[name]; taken || name == "" {
		base := filepath.Base(t.PkgPath())
		name = strings.ToUpper(base[:1]) + base[1:] + t.Name()
	}
	if _, taken := w.schemas[name]; taken {
		panic("two types have the name " + name)
	}
	w.names[t], w.schemas[name] = name, nil
	w.schemas[name] = w.object(t)
	return name
}

// object describes the fields of a struct.
func (w *schemaWriter) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	w.fields(t, properties, &required, true)
	out := map[string]any{"type": "object", "properties": properties}
	if says := w.comment(t, ""); says != "" {
		out["description"] = says
	}
	if len(required) > 0 {
		slices.Sort(required)
		out["required"] = required
	}
	return out
}

// absences are what a field that is left out is, by its type. A pointer may be absent for other reasons.
var absences = map[any]any{"boolean": false, "integer": 0, "number": 0, "array": []any{}, "object": map[string]any{}}

// fields adds those of a struct, and of what it embeds; through a pointer these may be absent.
func (w *schemaWriter) fields(t reflect.Type, properties map[string]any, required *[]string, always bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if inner := f.Type; f.Anonymous && name == "" {
			pointer := inner.Kind() == reflect.Pointer
			if pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				w.fields(inner, properties, required, always && !pointer)
				continue
			}
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		s := w.of(f.Type)
		if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
			if list, ok := s["type"].([]string); ok { // absent in place of null
				s["type"] = list[0]
			} else if both, ok := s["anyOf"].([]any); ok {
				s = both[0].(map[string]any)
			}
			if absent, ok := absences[s["type"]]; ok && always && f.Type.Kind() != reflect.Pointer {
				s["default"] = absent
			}
		} else if always {
			*required = append(*required, name)
		}
		if name == "schema" {
			s["const"] = app.Schema
		}
		if says := w.comment(t, f.Name); says != "" {
			s["description"] = says
		}
		properties[name] = s
	}
}

// comment is the comment of a type or of a field in the source.
func (w *schemaWriter) comment(t reflect.Type, field string) string {
	path := t.PkgPath()
	if w.comments[path] == nil {
		w.comments[path] = comments(path)
	}
	says := strings.Join(strings.Fields(w.comments[path][t.Name()+"."+field]), " ")
	for _, verb := range []string{" is ", " are "} {
		says = strings.TrimPrefix(says, cmp.Or(field, t.Name())+verb)
	}
	if says == "" {
		return ""
	}
	return strings.ToUpper(says[:1]) + strings.TrimSuffix(says[1:], ".") + "."
}

// comments reads those of the types of a package, and of their fields.
func comments(path string) map[string]string {
	out := map[string]string{}
	dir := filepath.Join("../..", strings.TrimPrefix(path, "github.com/fdplan/fdplan"))
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range files {
		f, err := parser.ParseFile(source.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					says := s.Doc.Text()
					if says == "" {
						says = d.Doc.Text()
					}
					out[s.Name.Name+"."] = new(doc.Package).Synopsis(says)
					if st, ok := s.Type.(*ast.StructType); ok {
						for _, field := range st.Fields.List {
							for _, id := range field.Names {
								out[s.Name.Name+"."+id.Name] = field.Doc.Text() + field.Comment.Text()
							}
						}
					}
				}
			}
			return false
		})
	}
	return out
}
