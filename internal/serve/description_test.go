package serve

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/request"
)

// description is the document as it is edited.
//
//go:embed openapi.json
var description []byte

var update = flag.Bool("update", false, "write what is generated into openapi.json")

// TestDescriptionIsGenerated holds the schemas of requests to the options that are declared; with
// -update they are written.
func TestDescriptionIsGenerated(t *testing.T) {
	text := description
	for name, schema := range map[string]any{"JobRequest": jobSchema(), "InitRequest": initSchema()} {
		want, err := json.MarshalIndent(schema, strings.Repeat(" ", 6), "  ")
		if err != nil {
			t.Fatal(err)
		}
		head := `      "` + name + `": `
		_, rest, ok := bytes.Cut(text, []byte(head))
		var committed json.RawMessage
		if !ok || json.NewDecoder(bytes.NewReader(rest)).Decode(&committed) != nil {
			t.Fatalf("there is no %s in the description", name)
		}
		var one, two any
		if json.Unmarshal(committed, &one) != nil || json.Unmarshal(want, &two) != nil || !*update && !reflect.DeepEqual(one, two) {
			t.Errorf("the description of %s is not that of the options; go generate ./internal/serve writes it. It is\n%s\nexpected\n%s", name, committed, want)
		}
		text = bytes.Replace(text, slices.Concat([]byte(head), committed), slices.Concat([]byte(head), want), 1)
	}
	if *update {
		if err := os.WriteFile("openapi.json", text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// contextOf is a context that ends with the test at the latest.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// TestRoutesAreDescribed holds the description to the routes in both directions: methods,
// paths, parameters, and what needs no token.
func TestRoutesAreDescribed(t *testing.T) {
	a := api(t)
	known := map[string]route{}
	for _, r := range (&Server{jobs: new(jobList)}).routes() {
		known[r.method+" "+r.path] = r
	}
	ids := map[string]bool{}
	for path, methods := range a.Paths {
		for method, op := range methods {
			key := strings.ToUpper(method) + " " + path
			r, ok := known[key]
			if !ok {
				t.Errorf("%s is described and has no route", key)
			}
			delete(known, key)
			if ids[op.ID] || op.ID == "" {
				t.Errorf("%s: the id %q is not its own", key, op.ID)
			}
			ids[op.ID] = true
			if public := op.Security != nil && len(*op.Security) == 0; public != r.public {
				t.Errorf("%s: needs no token: %v, described as %v", key, r.public, public)
			}
			for _, status := range []string{"403", "405", "421", "500"} {
				if op.Responses[status].Ref == "" {
					t.Errorf("%s: status %s is not described", key, status)
				}
			}
			if !r.public && op.Responses["401"].Ref == "" {
				t.Errorf("%s: status 401 is not described", key)
			}
			var described, inPath []string
			for _, p := range op.Parameters {
				if p["in"] == "path" {
					described = append(described, p["name"].(string))
				}
			}
			for _, part := range strings.Split(path, "/") {
				if strings.HasPrefix(part, "{") {
					inPath = append(inPath, strings.Trim(part, "{}"))
				}
			}
			slices.Sort(described)
			slices.Sort(inPath)
			if !slices.Equal(described, inPath) {
				t.Errorf("%s: parameters %v of the path, described are %v", key, inPath, described)
			}
			for content := range bodyOf(op) {
				if upload := content == "multipart/form-data"; upload != r.upload {
					t.Errorf("%s: an upload: %v, described as %s", key, r.upload, content)
				}
			}
		}
	}
	for key := range known {
		t.Errorf("%s has a route and is not described", key)
	}
}

// bodyOf are the media types of an operation's body.
func bodyOf(op operation) map[string]bool {
	out := map[string]bool{}
	if op.RequestBody != nil {
		for content := range op.RequestBody.Content {
			out[content] = true
		}
	}
	return out
}

// TestFieldsAreDescribed holds the schemas of requests and documents to the types that are
// read and written, in both directions.
func TestFieldsAreDescribed(t *testing.T) {
	a := api(t)
	for name, v := range map[string]any{
		"Job": Job{}, "Error": problemError{}, "ProblemDetails": details{}, "PictureRequest": pictureRequest{}, "CopyRequest": copyRequest{}, "Server": about{}, "Log": Log{},
		"Problem": Problem{}, "File": File{}, "Expression": expression{}, "Result": resultLine{}, "ExpressionRequest": expressionRequest{}, "Session": sessionAnswer{}, "SessionRequest": sessionRequest{},
	} {
		described := map[string]bool{}
		for field := range a.Components.Schemas[name]["properties"].(map[string]any) {
			described[field] = true
		}
		for _, field := range fieldsOf(reflect.TypeOf(v)) {
			if !described[field] {
				t.Errorf("%s has no field %s, which the code has", name, field)
			}
			delete(described, field)
		}
		for field := range described {
			t.Errorf("%s has the field %s, which the code does not have", name, field)
		}
	}
	enum := func(schema string) (out []string) {
		for _, v := range a.Components.Schemas[schema]["enum"].([]any) {
			out = append(out, v.(string))
		}
		return out
	}
	if got := enum("Kind"); !slices.Equal(got, kinds) {
		t.Errorf("described are the kinds %v, the code has %v", got, kinds)
	}
	var all []string
	for _, s := range statuses {
		all = append(all, string(s))
	}
	if got := enum("JobStatus"); !slices.Equal(got, all) {
		t.Errorf("described are the statuses %v, the code has %v", got, all)
	}
}

// fieldsOf lists the names of a type's fields in JSON.
func fieldsOf(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			out = append(out, fieldsOf(f.Type)...)
		case f.IsExported() && name != "-":
			out = append(out, name)
		}
	}
	return out
}

// TestSchemas wants every reference to lead somewhere and every schema to be used and to have
// known keywords only.
func TestSchemas(t *testing.T) {
	a := api(t)
	text := string(description)
	for name, schema := range a.Components.Schemas {
		if !strings.Contains(text, `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to the schema %s", name)
		}
		walk(schema, func(s map[string]any) {
			if why := a.validate(s, nil, name); strings.Contains(why, "unknown keyword") || strings.Contains(why, "there is no schema") {
				t.Error(why)
			}
		})
	}
	var whole map[string]any
	if err := json.Unmarshal(description, &whole); err != nil {
		t.Fatal(err)
	}
	walk(whole, func(s map[string]any) {
		if ref, ok := s["$ref"].(string); ok {
			var at any = whole
			for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
				m, _ := at.(map[string]any)
				at = m[part]
			}
			if at == nil {
				t.Errorf("%s leads nowhere", ref)
			}
		}
	})
}

// walk visits the schemas in a value: the objects that are values of no "properties".
func walk(v any, visit func(map[string]any)) {
	switch x := v.(type) {
	case map[string]any:
		visit(x)
		for key, value := range x {
			properties, ok := value.(map[string]any)
			if key == "properties" && ok {
				for _, p := range properties {
					walk(p, visit)
				}
				continue
			}
			walk(value, visit)
		}
	case []any:
		for _, value := range x {
			walk(value, visit)
		}
	}
}

// initSchema is the JSON schema of an initRequest.
func initSchema() map[string]any {
	b := app.Binder()
	schema := b.Schema(new(request.Init), public)
	maps.Copy(schema["properties"].(map[string]any), b.Schema(initFields{}, nil)["properties"].(map[string]any))
	return schema
}

// union has the values of one list and then those of another.
func union(one, two []string) []string {
	for _, v := range two {
		if !slices.Contains(one, v) {
			one = append(one, v)
		}
	}
	return one
}

// jobSchema is the JSON schema of a JobRequest: what the fields mean is told with the options.
func jobSchema() map[string]any {
	b := app.Binder()
	schema := b.Schema(jobFields{}, nil)
	properties := schema["properties"].(map[string]any)
	helps, with := map[string][]string{}, map[string]map[string][]string{} // the kinds by what an option is for
	for _, kind := range kinds {
		of := request.Job(kind)
		for name, property := range b.Schema(of, public)["properties"].(map[string]any) {
			p := property.(map[string]any)
			help := b.InJSON(fmt.Sprint(p["description"]), of, nil)
			delete(p, "default") // which may be another for another kind
			if before, ok := properties[name].(map[string]any); ok && with[name] != nil && before["enum"] != nil {
				p["enum"] = union(before["enum"].([]string), p["enum"].([]string))
				properties[name] = p
			} else if with[name] == nil || p["anyOf"] != nil {
				properties[name] = p
			}
			if with[name] == nil {
				with[name] = map[string][]string{}
			}
			if with[name][help] == nil {
				helps[name] = append(helps[name], help)
			}
			with[name][help] = append(with[name][help], kind)
		}
	}
	for name, all := range helps {
		for i, help := range all {
			all[i] = strings.Join(with[name][help], ", ") + ": " + help
		}
		properties[name].(map[string]any)["description"] = strings.Join(all, " ")
	}
	schema["required"] = []string{"kind"}
	properties["kind"] = map[string]any{"$ref": "#/components/schemas/Kind"}
	schema["description"] = "The fields beside the server's own are the options of the commands; see fdplan help."
	return schema
}
