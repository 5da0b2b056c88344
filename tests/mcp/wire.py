"""A proxy to the database over TCP, which can be cut, and which uses TLS if it has a certificate. The servers of the
tests have neither TCP nor TLS."""

from __future__ import annotations

import datetime
import ipaddress
import os
import socket
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ASKS_FOR_TLS = bytes.fromhex("0000000804d2162f")


class Wire:
    """Listens at 127.0.0.1 and passes everything on to the server's socket."""

    def __init__(self, certificate: Certificate | None = None):
        self.context = certificate.context() if certificate else None
        self.tls_connections = 0
        self.silent = False  # a client that connects gets no answer
        self.deaf = False  # what clients send from now on is lost, as when a server is gone without a word
        self._server = f"{os.environ['PGHOST']}/.s.PGSQL.{os.environ['PGPORT']}"
        self._open: list[socket.socket] = []
        self._listener = None
        self.port = 0
        self.mend()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_) -> None:
        self.cut()

    def mend(self) -> None:
        """Listens, again at the same port."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def cut(self) -> None:
        """Ends all connections and listens no more."""
        listener, self._listener = self._listener, None
        if listener:
            listener.close()
        for end in self._open:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
        self._open.clear()
        # A listener that another thread waits on closes when it is knocked at.
        with socket.socket() as knock:
            knock.settimeout(0.2)
            knock.connect_ex(("127.0.0.1", self.port))

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            if listener is not self._listener:  # cut while it waited: this one comes too late
                client.close()
                return
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            first = client.recv(8, socket.MSG_WAITALL)
            if self.silent:
                self._open.append(client)
                return
            if first == ASKS_FOR_TLS:
                if self.context:
                    client.sendall(b"S")
                    client = self.context.wrap_socket(client, server_side=True)
                    self.tls_connections += 1
                else:
                    client.sendall(b"N")
                first = b""
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._open += [client, server]
            if self._listener is None:
                raise OSError("cut meanwhile")
            server.sendall(first)
            threading.Thread(target=self._pass, args=[server, client, lambda: False], daemon=True).start()
            self._pass(client, server, lambda: self.deaf)
        except OSError:
            client.close()

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket, is_deaf) -> None:
        try:
            while data := one.recv(65536):
                if not is_deaf():
                    other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Certificate:
    """A self-signed certificate for a host, and its files in a folder."""

    def __init__(self, folder: str, host: str):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        try:
            alternative = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            alternative = x509.DNSName(host)
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
            .sign(key, hashes.SHA256())
        )
        self.path, self._key_path = os.path.join(folder, f"{host}.pem"), os.path.join(folder, f"{host}.key")
        with open(self.path, "wb") as file:
            file.write(certificate.public_bytes(serialization.Encoding.PEM))
        with open(self._key_path, "wb") as file:
            no_encryption = serialization.NoEncryption()
            pem = serialization.Encoding.PEM
            file.write(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, no_encryption))

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path, self._key_path)
        return context
