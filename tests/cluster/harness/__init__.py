"""Throwaway servers, and sessions with them, for the tests in this folder.

cluster        the shell functions of pgrx-config/cluster.sh, which create, start and stop a server
access         queries and their answers: in an open session, or each in a session of its own
server         a server, its standby, and the programs that talk to it
replication    a primary whose commits wait for its follower
stores         the store that many tests fill and search
topics         large memories, for tests that count pages
distributions  embeddings of many distributions, for tests of recall
"""
