package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"understudy/engine"
)

// fill stores n runs whose headers differ in every property of a query.
func (k *kit) fill(n int) []engine.Header {
	k.t.Helper()
	statuses := []engine.Status{engine.Succeeded, engine.Failed, engine.Waiting, engine.Running}
	var headers []engine.Header
	for i := range n {
		b := Batch(fmt.Sprintf("run%04d", i), 1, 0, 1)
		h := &b.Header
		h.Status = statuses[i%4]
		h.Workflow, h.Client, h.Owner = fmt.Sprint("workflow", i%3), fmt.Sprint("client", i%4), fmt.Sprint("owner", i%2)
		h.StartedAt = start.Add(time.Duration(i) * time.Minute)
		if i%2 == 0 {
			h.WorkflowID, h.TraceID, h.ExecutionID = fmt.Sprint("w", i%5), fmt.Sprint("t", i%6), fmt.Sprint("e", i)
			h.Schedule = fmt.Sprint("schedule", i%4)
		}
		if i%7 == 0 {
			h.Call = "click_element"
		}
		if h.Status == engine.Failed {
			h.Error = &engine.ErrorRecord{Code: "not_found", Message: fmt.Sprint("no button ", i), Step: []string{"save", "open"}[i/4%2]}
		}
		h.Errors = i % 3
		b.Lazy = i%11 == 0
		k.append(b)
		headers = append(headers, *h)
	}
	return headers
}

// wanted returns the ids of the headers that a query wants, the newest first.
func wanted(headers []engine.Header, q engine.Query) []string {
	var ids []string
	for _, h := range slices.Backward(headers) {
		if wants(q, h) && (q.Limit == 0 || len(ids) < q.Limit) {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

func testList(t *testing.T, k *kit) {
	for _, id := range []string{"b", "d", "a", "c"} { // the id says the age, not the order of arrival
		k.append(Batch(id, 1, 0, 1))
	}
	same(t, "runs", k.list(engine.Query{}), []string{"d", "c", "b", "a"})
	k.append(Batch("b", 1, 1, 1))
	same(t, "runs after an event", k.list(engine.Query{}), []string{"d", "c", "b", "a"})
}

func testFilters(t *testing.T, k *kit) {
	headers := k.fill(150)
	for say, q := range map[string]engine.Query{
		"all":                        {},
		"with calls":                 {Calls: true},
		"failed":                     {Status: []engine.Status{engine.Failed}},
		"failed or waiting":          {Status: []engine.Status{engine.Failed, engine.Waiting, engine.Failed}},
		"a status that none has":     {Status: []engine.Status{engine.Cancelled}},
		"of a workflow":              {Workflow: "workflow1"},
		"of a workflow, failed":      {Workflow: "workflow1", Status: []engine.Status{engine.Failed}, Calls: true},
		"of a part of a name":        {Workflow: "workflow"},
		"of a lineage":               {WorkflowID: "w2"},
		"of a trace":                 {TraceID: "t4"},
		"of an execution":            {ExecutionID: "e8"},
		"of a schedule":              {Schedule: "schedule2"},
		"of a schedule, running":     {Schedule: "schedule2", Status: []engine.Status{engine.Waiting}},
		"of a trace and a workflow":  {TraceID: "t4", Workflow: "workflow2"},
		"of a client":                {Client: "client3"},
		"of an owner":                {Owner: "owner1", Calls: true, Limit: 20},
		"that mention a text":        {Text: "FLOW1", Calls: true},
		"whose client has a text":    {Text: "Client2", Calls: true},
		"whose step failed":          {Text: "SAVE", Status: []engine.Status{engine.Failed}},
		"since":                      {Since: start.Add(100 * time.Minute)},
		"since, with less precision": {Since: start.Add(100*time.Minute + time.Nanosecond)},
		"with failures on their way": {Status: []engine.Status{engine.Succeeded}, Troubled: true},
		"before":                     {Before: "run0050"},
		"before one that is not":     {Before: "run0050x"},
		"limited":                    {Limit: 7},
		"all of it":                  {Calls: true, Status: []engine.Status{engine.Succeeded}, Workflow: "workflow0", Since: start.Add(time.Hour), Before: "run0140", Limit: 3},
	} {
		same(t, say, k.list(q), wanted(headers, q))
	}
	k.reopen()
	same(t, "all, after reopening", k.list(engine.Query{Calls: true}), wanted(headers, engine.Query{Calls: true}))
}

func testPages(t *testing.T, k *kit) {
	headers := k.fill(200)
	for _, q := range []engine.Query{{Limit: 30}, {Limit: 9, Calls: true, Status: []engine.Status{engine.Failed, engine.Succeeded}}} {
		var all []string
		for page := q; ; {
			ids := k.list(page)
			all = append(all, ids...)
			if len(ids) < q.Limit {
				break
			}
			page.Before = ids[len(ids)-1]
		}
		whole := q
		whole.Limit = 0
		same(t, "pages", all, wanted(headers, whole))
	}
}

func testListChanges(t *testing.T, k *kit) {
	k.append(Batch("run1", 1, 0, 1))
	k.append(Batch("run2", 1, 0, 1))
	running, done := engine.Query{Status: []engine.Status{engine.Running}}, engine.Query{Status: []engine.Status{engine.Succeeded}}
	for _, lazy := range []bool{true, false} {
		h := k.header("run1")
		b := Batch("run1", 1, h.Seq, 1)
		b.Lazy = lazy
		b.Header.Status, b.Header.Workflow = engine.Succeeded, "renamed"
		k.append(b)
		same(t, "running", k.list(running), []string{"run2"})
		same(t, "succeeded", k.list(done), []string{"run1"})
		same(t, "old name", k.list(engine.Query{Workflow: "invoice-entry"}), []string{"run2"})
		same(t, "new name", k.list(engine.Query{Workflow: "renamed"}), []string{"run1"})
	}
}
