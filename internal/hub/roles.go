package hub

import (
	"maps"
	"slices"
)

// A role is what the holder of a credential does in the fleet of a tenant.
type role string

const (
	client role = "client" // begins, follows and continues runs
	worker role = "worker" // executes them
	admin  role = "admin"  // removes them too
)

var roles = []role{client, worker, admin}

// A flow is a subject that crosses from some roles to another one. Each role of a tenant
// has an account of its own, where only its flows exist. That of the admin has the
// streams. Permissions alone would not do: a sender names the subject of the answer, and
// the server sends it there with rights of its own.
type flow struct {
	subject string
	from    []role
	to      role
	answers answers
}

// answers says how a message is answered, in the words of the server: with how many messages,
// and how long their way back stays open.
type answers struct{ number, within string }

var (
	none = answers{}                    // all who subscribe receive it
	one  = answers{"singleton", "1m"}   // or no answer at all
	late = answers{"singleton", "168h"} // when a step has ended
	many = answers{"stream", "10s"}     // from the last one on
)

var users = []role{client, worker}

// flows are all that clients and workers may send and receive. The names after us.say are
// those of the packages fleet and jetstream.
var flows = []flow{
	{"us.r.*", users, admin, one},
	{"us.q.>", users, admin, one},
	{"us.f.>", users, admin, one},
	{"us.s.*", []role{client}, admin, one},
	{"us.n.*", []role{admin}, client, none},
	{"us.q.>", []role{admin}, worker, none},

	{"$JS.API.INFO", users, admin, one}, // without it the server itself would answer for JetStream in each account
	{"$JS.API.STREAM.INFO.US_RUNS", users, admin, one},
	{"$JS.API.STREAM.INFO.US_FILES", users, admin, one},
	{"$JS.API.STREAM.INFO.US_RECORDS", users, admin, one},
	{"$JS.API.STREAM.MSG.GET.US_RUNS", users, admin, one},
	{"$JS.API.STREAM.MSG.GET.US_FILES", users, admin, one},
	{"$JS.API.STREAM.MSG.GET.US_RECORDS", []role{client}, admin, one},
	{"$JS.API.DIRECT.GET.US_RUNS", users, admin, many},
	{"$JS.API.DIRECT.GET.US_FILES", users, admin, many},
	{"$JS.API.DIRECT.GET.US_RECORDS", []role{client}, admin, many},
	{"$JS.API.CONSUMER.LIST.US_RUNS", []role{worker}, admin, one},
	{"$JS.API.CONSUMER.INFO.US_RUNS.*", users, admin, one},
	{"$JS.API.CONSUMER.MSG.NEXT.US_RUNS.*", []role{worker}, admin, many},
	{"$JS.ACK.US_RUNS.>", []role{worker}, admin, one},

	{"us.say.hub", users, admin, one},
	{"us.say.make", users, admin, one},
	{"us.say.worker.*", roles, worker, one},
	{"us.say.fits", []role{client, admin}, worker, many},
	{"us.say.calls.*", []role{client, admin}, worker, late},
	{"us.say.view.*", []role{client, admin}, worker, one},
	{"us.say.secrets", []role{worker}, client, one},
	{"us.say.secrets", []role{worker}, admin, one},
	{"us.say.rights.*", []role{worker}, client, one},
	{"us.say.rights.*", []role{worker}, admin, one},
	{"us.say.schedules", []role{client, admin}, client, one},
	{"us.say.stream.*.desktop", []role{client, admin}, worker, none},
	{"us.say.stream.*.viewer", []role{worker}, client, none},
	{"us.say.stream.*.viewer", []role{worker}, admin, none},
	{"us.say.queued", []role{admin}, worker, none},
	{"us.say.none", []role{worker}, worker, none},
	{"us.say.back", []role{worker}, worker, none},
}

// Answers go to an inbox of the same account, or to one of another, under a name that the
// server makes for one question.
const (
	inboxes = "_INBOX.>"
	replies = "_R_.>"
)

// account returns the name of the account of a role. Older hubs had one for a tenant, with
// the streams.
func account(tenant string, r role) string {
	if r == admin {
		return tenant
	}
	return tenant + "_" + string(r)
}

type object = map[string]any

// accounts returns the accounts of a tenant, for the configuration of the server.
func (k keys) accounts(tenant string, jetstream object) object {
	out := object{}
	for _, r := range roles {
		user, exports, imports := object{"nkey": k.public[k.of(tenant, r)]}, object{}, []object{}
		publish, subscribe := []string{inboxes, replies}, []string{inboxes}
		for _, f := range flows {
			sort, receives := "service", f.to == r
			if f.answers == none {
				sort = "stream"
			}
			if slices.Contains(f.from, r) {
				publish = append(publish, f.subject)
			}
			if receives {
				subscribe = append(subscribe, f.subject)
			}
			for _, from := range f.from {
				exporter, importer := f.to, from // who answers exports a question, and who sends a message
				if f.answers == none {
					exporter, importer = from, f.to
				}
				switch {
				case exporter == importer:
				case exporter == r:
					e := object{sort: f.subject}
					if f.answers != none {
						e["response_type"], e["response_threshold"] = f.answers.number, f.answers.within
					}
					exports[sort+f.subject] = e
				case importer == r:
					imports = append(imports, object{sort: object{"account": account(tenant, exporter), "subject": f.subject}})
				}
			}
		}
		a := object{"users": []object{user}, "exports": slices.Collect(maps.Values(exports)), "imports": imports}
		if r == admin {
			a["jetstream"] = jetstream
		} else {
			user["permissions"] = object{"publish": object{"allow": publish}, "subscribe": object{"allow": subscribe}}
		}
		out[account(tenant, r)] = a
	}
	return out
}
