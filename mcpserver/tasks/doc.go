// Package tasks speaks the tasks of MCP: a call that lasts is answered with a handle, by
// which any client that may asks for its state, answers its questions, cancels it, and
// gets its result. There are two forms, and a client speaks one of them:
//
//	the extension io.modelcontextprotocol/tasks, from version 2026-07-28 on. The client
//	declares with each request that it takes tasks, and the server decides.
//	the experiment of version 2025-11-25. The client asks for a task with params.task.
//
// The package keeps nothing. A Source holds the tasks, so they last as long as it does.
package tasks
