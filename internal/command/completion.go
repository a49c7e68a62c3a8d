package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// offer is the set of completions of a value.
type offer struct {
	words []string // the values there are
	files bool
	dirs  bool
}

// offered returns the completions of a flag or an argument, based on its help text.
func offered(v *kong.Value, placeholder string, problems []string) offer {
	switch {
	case v.Enum != "":
		return offer{words: v.EnumSlice()}
	case v.IsBool():
		return offer{}
	case v.Name == "problem" || placeholder == "PROBLEM":
		return offer{words: problems, files: true} // task files
	case placeholder == "DIR" || v.Tag.Type == "existingdir":
		return offer{dirs: true}
	case placeholder == "FILE" || placeholder == "DATA" || placeholder == "NETWORK" || strings.HasSuffix(placeholder, ".rddl"):
		return offer{files: true}
	}
	return offer{}
}

// arguments returns the completions of a command's positional arguments, which are the same
// for all.
func arguments(app *kong.Application, node *kong.Node, problems []string) offer {
	all := offer{}
	for _, p := range node.Positional {
		o := offered(p, "", problems)
		if node.Name == "help" {
			o.words = commandNames(app)
		} else if p.Enum == "" {
			o.files = true // any argument may be a file
		}
		all.words, all.files = append(all.words, o.words...), all.files || o.files
	}
	return all
}

func commandNames(app *kong.Application) []string {
	var names []string
	for _, n := range app.Leaves(true) {
		names = append(names, n.Name)
	}
	return names
}

// visible are the flags of a command in the order of its help, --help last.
func visible(node *kong.Node) []*kong.Flag {
	var out []*kong.Flag
	for _, group := range node.AllFlags(true) {
		out = append(out, group...)
	}
	isHelp := func(f *kong.Flag) bool { return f.Name == "help" }
	if i := slices.IndexFunc(out, isHelp); i >= 0 {
		out = append(slices.DeleteFunc(slices.Clone(out), isHelp), out[i])
	}
	return out
}

// spellings returns the ways to write a flag.
func spellings(f *kong.Flag) []string {
	out := []string{"--" + f.Name}
	if f.Short != 0 {
		out = append(out, "-"+string(f.Short))
	}
	if f.Tag.Negatable != "" {
		out = append(out, "--no-"+f.Name)
	}
	return out
}

// bashCompletion is a script for bash, from version 4 on.
func bashCompletion(app *kong.Application, problems []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion for %[1]s; source it, or put it into bash_completion.d.
_%[1]s() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= files= flags=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "%[2]s" -- "$cur")
        return
    fi
    case "${COMP_WORDS[1]} $prev" in
`, app.Name, strings.Join(commandNames(app), " "))
	for _, node := range app.Leaves(true) {
		for _, f := range visible(node) {
			if f.IsBool() {
				continue
			}
			var cases []string
			for _, s := range spellings(f) {
				cases = append(cases, fmt.Sprintf(`"%s %s"`, node.Name, s))
			}
			o := offered(f.Value, f.PlaceHolder, problems)
			action := ""
			if o.files {
				action = " files=-f"
			} else if o.dirs {
				action = " files=-d"
			}
			fmt.Fprintf(&b, "    %s) words=%s%s ;;\n", strings.Join(cases, "|"), quote(strings.Join(o.words, " ")), action)
		}
	}
	b.WriteString("    *)\n        case \"${COMP_WORDS[1]}\" in\n")
	for _, node := range app.Leaves(true) {
		var flags []string
		for _, f := range visible(node) {
			flags = append(flags, spellings(f)...)
		}
		o := arguments(app, node, problems)
		files := ""
		if o.files {
			files = " files=-f"
		}
		fmt.Fprintf(&b, "        %s) flags=%s words=%s%s ;;\n", node.Name, quote(strings.Join(flags, " ")), quote(strings.Join(o.words, " ")), files)
	}
	fmt.Fprintf(&b, `        esac
        case "$cur" in -*) words=$flags files= ;; esac ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; [ -n "$files" ] && compgen "$files" -- "$cur")
}
complete -F _%[1]s %[1]s
`, app.Name)
	return b.String()
}

// quote makes text one word of any of the shells.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// zshCompletion is a function file for zsh.
func zshCompletion(app *kong.Application, problems []string) string {
	var b strings.Builder
	// In an argument of _arguments these have a meaning.
	plain := strings.NewReplacer(":", `\:`, "[", `\[`, "]", `\]`)
	fmt.Fprintf(&b, "#compdef %[1]s\n# zsh completion for %[1]s; put it into a folder of $fpath as _%[1]s.\nlocal -a commands\ncommands=(\n", app.Name)
	for _, node := range app.Leaves(true) {
		fmt.Fprintf(&b, "    %s\n", quote(node.Name+":"+node.Help))
	}
	b.WriteString(")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\nshift words\n(( CURRENT-- ))\ncase $words[1] in\n")
	action := func(o offer) string {
		switch {
		case len(o.words) > 0 && o.files:
			return `{ compadd -- ` + strings.Join(o.words, " ") + `; _files }`
		case len(o.words) > 0:
			return "(" + strings.Join(o.words, " ") + ")"
		case o.files:
			return "_files"
		case o.dirs:
			return "_files -/"
		}
		return " "
	}
	for _, node := range app.Leaves(true) {
		fmt.Fprintf(&b, "%s)\n    _arguments", node.Name)
		for _, f := range visible(node) {
			for _, s := range spellings(f) {
				spec := s
				if !f.IsBool() {
					if strings.HasPrefix(s, "--") {
						spec += "="
					}
				}
				if f.IsCumulative() {
					spec = "*" + spec
				}
				spec += "[" + plain.Replace(f.Help) + "]"
				if !f.IsBool() {
					spec += ":" + plain.Replace(f.Name) + ":" + action(offered(f.Value, f.PlaceHolder, problems))
				}
				fmt.Fprintf(&b, " \\\n        %s", quote(spec))
			}
		}
		if o := arguments(app, node, problems); len(node.Positional) > 0 {
			fmt.Fprintf(&b, " \\\n        %s", quote("*:argument:"+action(o)))
		}
		b.WriteString("\n    ;;\n")
	}
	b.WriteString("esac\n")
	return b.String()
}

// fishCompletion is a file for fish's completions folder.
func fishCompletion(app *kong.Application, problems []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for %[1]s.\ncomplete -c %[1]s -f\n", app.Name)
	for _, node := range app.Leaves(true) {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", app.Name, node.Name, fishQuote(node.Help))
	}
	for _, node := range app.Leaves(true) {
		where := fmt.Sprintf("complete -c %s -n %s", app.Name, fishQuote("__fish_seen_subcommand_from "+node.Name))
		if o := arguments(app, node, problems); len(node.Positional) > 0 {
			if o.files {
				fmt.Fprintf(&b, "%s -F\n", where)
			}
			if len(o.words) > 0 {
				fmt.Fprintf(&b, "%s -a %s\n", where, fishQuote(strings.Join(o.words, " ")))
			}
		}
		for _, f := range visible(node) {
			text := where + " -l " + f.Name
			if f.Short != 0 {
				text += " -s " + string(f.Short)
			}
			text += " -d " + fishQuote(f.Help)
			o := offered(f.Value, f.PlaceHolder, problems)
			switch {
			case f.IsBool():
			case o.files:
				text += " -rF"
			case o.dirs:
				text += " -xa '(__fish_complete_directories)'"
			default:
				text += " -x"
			}
			if len(o.words) > 0 && !f.IsBool() {
				text += " -a " + fishQuote(strings.Join(o.words, " "))
			}
			b.WriteString(text + "\n")
			if f.Tag.Negatable != "" {
				fmt.Fprintf(&b, "%s -l no-%s\n", where, f.Name)
			}
		}
	}
	return b.String()
}

// fishQuote makes text one word of fish, where a backslash counts inside quotes.
func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
