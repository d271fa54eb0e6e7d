"""Which addresses are public, and what an administrator can open."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.net.addresses import address_kind, address_problem, address_read
from tools.net.policy import INSIDE_KINDS, PUBLIC, NetworkPolicy, host_matches, network_read


def test_it_works() -> None:
    assert address_problem(ip_address("93.184.216.34"), PUBLIC) == ""
    assert address_problem(ip_address("2606:4700::1111"), PUBLIC) == ""
    assert address_problem(ip_address("127.0.0.1"), PUBLIC) == "loopback"


REFUSED = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "10.255.255.255": "private",
    "100.64.0.1": "shared",
    "100.100.100.200": "shared",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "168.63.129.16": "cloud platform",
    "169.254.169.254": "link-local",
    "169.254.170.2": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.192": "reserved",
    "192.0.2.1": "documentation",
    "192.88.99.1": "reserved",
    "192.168.1.1": "private",
    "198.18.0.1": "benchmark",
    "198.19.255.255": "benchmark",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "::7f00:1": "reserved",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:10.0.0.1": "private",
    "::ffff:169.254.169.254": "link-local",
    "::ffff:0:7f00:1": "reserved",
    "64:ff9b::7f00:1": "loopback",
    "64:ff9b::a9fe:a9fe": "link-local",
    "64:ff9b:1::1": "translation",
    "100::1": "discard",
    "2001::1": "Teredo",
    "2001:0:7f00:1::": "Teredo",
    "2001:2::1": "benchmark",
    "2001:10::1": "ORCHID",
    "2001:20::1": "ORCHID",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "loopback",
    "2002:a00:1::1": "private",
    "2606:4700::5efe:10.0.0.1": "private",
    "2606:4700::200:5efe:127.0.0.1": "loopback",
    "3fff::1": "documentation",
    "4000::1": "reserved",
    "5f00::1": "reserved",
    "fc00::1": "unique local",
    "fd00::1": "unique local",
    "fd00:ec2::254": "unique local",
    "fe80::1": "link-local",
    "fe80::1%eth0": "scoped",
    "2606:4700::1%1": "scoped",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
}


@pytest.mark.parametrize(("text", "kind"), REFUSED.items())
def test_what_is_not_public_is_refused(text: str, kind: str) -> None:
    assert address_problem(ip_address(text), PUBLIC) == kind


@pytest.mark.parametrize(
    "text",
    [
        *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
        *("126.255.255.255", "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0"),
        *("192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"),
        *("2001:4860:4860::8888", "2a00:1450::1", "2620:fe::fe", "::ffff:8.8.8.8"),
        *("64:ff9b::808:808", "2002:808:808::1"),
    ],
)
def test_what_is_public_is_not(text: str) -> None:
    assert address_problem(ip_address(text), PUBLIC) == ""


def test_private_networks_can_be_opened_without_the_services_of_a_cloud() -> None:
    policy = NetworkPolicy(open_kinds=INSIDE_KINDS)
    for text in ("127.0.0.1", "10.0.0.1", "100.64.0.1", "fd00::1", "::ffff:10.0.0.1"):
        assert address_problem(ip_address(text), policy) == ""
    for text in ("169.254.169.254", "0.0.0.0", "fe80::1", "224.0.0.1", "198.18.0.1"):
        assert address_problem(ip_address(text), policy) != ""


def test_a_listed_network_is_reached_whatever_it_is() -> None:
    policy = NetworkPolicy(networks=(ip_network("169.254.169.0/24"), ip_network("fd00::/16")))
    for text in ("169.254.169.254", "::ffff:169.254.169.254", "fd00::9"):
        assert address_problem(ip_address(text), policy) == ""
    for text in ("169.254.170.2", "fd01::1", "10.0.0.1"):
        assert address_problem(ip_address(text), policy) != ""


def test_a_trusted_name_may_be_inside_and_nothing_else() -> None:
    assert address_problem(ip_address("10.0.0.1"), PUBLIC, trusted=True) == ""
    assert address_problem(ip_address("169.254.169.254"), PUBLIC, trusted=True) == "link-local"


def test_patterns_of_names() -> None:
    assert host_matches("a.example.org", "*.example.org")
    assert host_matches("a.b.example.org", "*.example.org")
    assert not host_matches("example.org", "*.example.org")
    assert not host_matches("badexample.org", "*.example.org")
    assert host_matches("example.org", "example.org")
    assert host_matches("10.1.2.3", "10.0.0.0/8")
    assert host_matches("::1", "::1/128")
    assert not host_matches("11.1.2.3", "10.0.0.0/8")
    assert not host_matches("::1", "10.0.0.0/8")
    assert not host_matches("example.org", "10.0.0.0/8")


def test_what_is_a_network() -> None:
    assert network_read("10.1.2.3/8") == ip_network("10.0.0.0/8")
    assert network_read("[::1]") == ip_network("::1/128")
    assert network_read("example.org") is None
    assert address_read("1.2.3.4.5") is None


_V4 = st.integers(0, 2**32 - 1).map(IPv4Address)


@given(_V4, st.integers(0, 2**64 - 1))
def test_an_address_inside_an_address_opens_no_way(inner: IPv4Address, rest: int) -> None:
    number = int(inner)
    carriers = [
        IPv6Address((0xFFFF << 32) | number),
        IPv6Address((0x64FF9B << 96) | number),
        IPv6Address((0x2002 << 112) | (number << 80) | rest),
        IPv6Address((0x2606 << 112) | (0x00005EFE << 32) | number),
    ]
    refused = address_problem(inner, PUBLIC) != ""
    assert [address_problem(carrier, PUBLIC) != "" for carrier in carriers] == [refused] * 4


@given(_V4)
def test_all_that_the_standard_library_knows_is_refused(address: IPv4Address) -> None:
    special = (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )
    if special:
        assert address_kind(address) != ""


@given(st.integers(0, 2**128 - 1).map(IPv6Address))
def test_the_same_for_version_six(address: IPv6Address) -> None:
    if not address.is_global and not address.ipv4_mapped:
        assert address_problem(address, PUBLIC) != ""
