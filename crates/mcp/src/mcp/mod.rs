//! The Model Context Protocol: tools and resources of one memory, on standard input and output or by HTTP.

mod arguments;
mod fixed;
mod graph;
mod http;
mod progress;
mod resources;
mod scope;
mod server;
mod sessions;
mod statements;
mod timely_body;
mod tools;

use memory_search_client::database::connections::Connections;
use memory_search_client::database::scope::Bounds;
use memory_search_client::stopping::{asked_to_stop, expect_signals};
use rmcp::ServiceExt;

use crate::command_line::McpArguments;
use crate::connecting;
use crate::mcp::fixed::Base;
use crate::mcp::server::MemoryServer;

/// Serves until the client goes, or a signal comes.
pub fn run(arguments: McpArguments) -> Result<(), String> {
    expect_signals();
    let connections = connecting::configure(&arguments.database, "memory-search mcp")?;
    let bounds = Bounds {
        user_setting: arguments.fixed.caller.setting.clone(),
        max_entries: arguments.max_entries,
        timeout_millis: u64::from(arguments.database.timeout_seconds) * 1000,
        read_only: arguments.read_only,
        settings: &[],
    };
    let base = Base::of(arguments.fixed, &arguments.http.from_headers)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    let outcome = runtime.block_on(async {
        let server = MemoryServer::new(connections.clone(), bounds, base.clone(), arguments.tools, arguments.log_texts);
        let outcome = match arguments.http.http {
            Some(address) => {
                let bearer = http::token(&arguments.http)?;
                http::serve(server, base, address, bearer, arguments.http.allow_host).await
            }
            None => serve_stdio(server, &connections).await,
        };
        connections.end().await;
        outcome
    });
    // A read of standard input cannot be cancelled.
    runtime.shutdown_background();
    outcome
}

async fn serve_stdio(server: MemoryServer, connections: &Connections) -> Result<(), String> {
    // A client may end the program before it sends anything.
    let serving = tokio::select! {
        serving = server.serve(rmcp::transport::stdio()) => serving,
        () = asked_to_stop() => return Ok(()),
    };
    let service = match serving {
        Ok(service) => service,
        // A client that leaves before it sent anything has made no mistake.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let stop = service.cancellation_token();
    let ended = tokio::spawn(service.waiting());
    tokio::select! {
        outcome = ended => {
            outcome.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
            // A person who closed the input, perhaps because nothing worked, reads the reason here.
            connections.reached()
        }
        () = asked_to_stop() => {
            stop.cancel();
            Ok(())
        }
    }
}
