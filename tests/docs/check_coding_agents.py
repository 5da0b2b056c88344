#!/usr/bin/env python3
"""The configurations of docs/guide/coding-agents.md can be read and start the same program, and its prompt uses the
server's names of tools."""
import json
import os
import re
import shlex
import sys
import tomllib

REPOSITORY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
PAGE = 'docs/guide/coding-agents.md'
BLOCK = re.compile(r'^```(\w+)\n(.*?)^```$', re.S | re.M)
# In a client's permissions a tool has the server's name before its own.
TOOL = re.compile(r'(?:\b|\bmcp__memory__)(memory_[a-z]\w*)')
COMMAND = ['uvx', '--from', 'memory-search[server]', 'memory-search', 'mcp']
CLIENTS = {'mcpServers', 'servers', 'context_servers', 'mcp', 'mcp_servers'}


def read(path):
    with open(os.path.join(REPOSITORY, path), encoding='utf-8') as file:
        return file.read()


def commands(language, text):
    """The words by which each server of a block is started."""
    if language == 'sh':
        return [shlex.split(line.split(' -- ')[-1]) for line in text.splitlines()]
    if language == 'text':  # Goose's YAML, of which each line is a key and a value that JSON reads too
        found = dict(re.findall(r'^ *(\w+): (.+)$', text, re.M))
        return [[found['cmd'], *json.loads(found['args'])]]
    configuration = json.loads(text) if language == 'json' else tomllib.loads(text)
    servers = [server for client in CLIENTS & configuration.keys() for server in configuration[client].values()]
    return [[*([server['command']] if isinstance(server['command'], str) else server['command']),
             *server.get('args', [])] for server in servers]


def tools():
    """The tools that the server lists."""
    described = set(re.findall(r'^ +name: "(memory_\w+)"', read('crates/core/src/output/memory_tools.rs'), re.M))
    search = re.search(r'const SEARCH: &str = "(\w+)"', read('crates/mcp/src/mcp/tools.rs'))
    return described | {search[1]}


def main():
    page, known, wrong, servers = read(PAGE), tools(), [], 0
    options = set(re.findall(r'^\| `(--[\w-]+)`', read('docs/guide/mcp.md'), re.M))
    for match in BLOCK.finditer(page):
        line = page.count('\n', 0, match.start()) + 1
        language, text = match.groups()
        if language == 'markdown':
            continue
        try:
            started = commands(language, text)
        except (ValueError, KeyError) as error:
            wrong.append(f'{PAGE}:{line}: this {language} cannot be read: {error!r}')
            continue
        for words in started:
            servers += 1
            if words[:len(COMMAND)] != COMMAND:
                wrong.append(f'{PAGE}:{line}: another command: {" ".join(words)}')
            wrong += [f'{PAGE}:{line}: memory-search mcp has no option {word}' for word in words[len(COMMAND):]
                      if word.startswith('--') and word not in options | {'--help'}]
    prompts = [text for language, text in BLOCK.findall(page) if language == 'markdown']
    functions = {'memory_restore'}
    wrong += [f'{PAGE}: there is no tool {name}' for name in sorted(set(TOOL.findall(page)) - known - functions)]
    if len(known) != 10 or servers < 10 or len(prompts) != 1:
        wrong.append(f'{PAGE}: {len(known)} tools, {servers} servers and {len(prompts)} prompts were found')
    elif not {'memory_search', 'memory_remember', 'memory_correct', 'memory_forget', 'memory_put_context'} <= set(
            TOOL.findall(prompts[0])):
        wrong.append(f'{PAGE}: the prompt lacks a tool')
    if wrong:
        sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main()
